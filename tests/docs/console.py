#!/usr/bin/env python3
"""The pages do what they say: every block marked "console" is typed into a shell, against an
installed copy, and prints what the page shows.

    console.py BUILD PREFIX LIBDIR C-COMPILER…

In a block a line that begins with "$ " is a command, and what follows is all that it prints. There
"…" stands for any text, and alone on a line for any number of lines; numbers with a point need only
be close, times and rates need only be numbers. A page that shows a message of failure ("tenon: …")
means it: every other command must succeed. A block of another kind is a file when the prose before
it ends with the file's name: "`model.json`:".

Each page has a folder of its own, in which docs/ is the project's. TAP, a test a block.
"""

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pages

FILE = re.compile(r"`([\w.-]+)`:$")
FAILED = re.compile(r"^(?:tenon|embed): |would be refused", re.M)
MEASURED = re.compile(r"\d[\d.]*(?= (?:samples/s|ms)\b)|(?<=minimum )\d[\d.]*|(?<=median )\d[\d.]*")
SANITIZER = re.compile(r"(?<=^sanitizer: )\w+")
DECIMAL = re.compile(r"\d+\.\d+(?:e[-+]\d+)?(?![.\w])")
DATA = "/usr/share/datasets/fashion-mnist"


class Copy:
    """An installed copy; its folder `shown` of the pages is where a user would have it."""

    def __init__(self, build, prefix, libdir, compiler, folder):
        root = os.path.join(folder, "root")
        self.prefix, self.shown = root + prefix, "/usr/local"
        library = os.path.join(self.prefix, libdir)
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir",
                        root], check=True, stdout=sys.stderr)
        tools = os.path.join(folder, "tools")
        os.mkdir(tools)
        with open(os.path.join(tools, "cc"), "w", encoding="utf-8") as file:
            # By their paths: this "cc" comes first in PATH, also for a ccache that looks for one.
            words = " ".join(shutil.which(word) or word for word in compiler)
            file.write(f'#!/bin/sh\nexec {words} "$@"\n')
        os.chmod(os.path.join(tools, "cc"), 0o755)
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join([tools, os.path.join(self.prefix, "bin"), os.environ["PATH"]]),
            "TENON_PLUGIN_PATH": os.path.join(library, "tenon", "plugins"),
            "TENON_TEMPLATE_PATH": os.path.join(self.prefix, "share", "tenon", "templates"),
            "LD_LIBRARY_PATH": library,
            "PKG_CONFIG_PATH": os.path.join(library, "pkgconfig"),
            "PKG_CONFIG_SYSROOT_DIR": root,
        }

    def run(self, command, where):
        """(exit code, what it printed)"""
        result = subprocess.run(["sh", "-c", command], cwd=where, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        return result.returncode, result.stdout.replace(self.prefix, self.shown)


def commands(lines):
    """(command, what it must print) of a block; a command goes on after a "\\"."""
    found = []
    for line in lines:
        if found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        elif found:
            found[-1][1].append(line)
    return found


def plain(line):
    """The line with what differs from machine to machine taken out."""
    def close(match):
        value = float(match.group(0))
        return f"{value:.2g}" if value and math.isfinite(value) else "0"

    line = SANITIZER.sub("any", MEASURED.sub("N", line))
    return " ".join(DECIMAL.sub(close, line).split())


def agrees(expected, printed):
    """Whether the lines are as expected, "…" being anything."""
    if not expected:
        return not printed
    if expected[0].strip() == "…":
        return any(agrees(expected[1:], printed[i:]) for i in range(len(printed) + 1))
    pattern = ".*".join(re.escape(plain(part)) for part in expected[0].split("…"))
    return (bool(printed) and re.fullmatch(pattern, plain(printed[0])) is not None and
            agrees(expected[1:], printed[1:]))


def try_block(copy, lines, where):
    """What went wrong, or None."""
    for command, expected in commands(lines):
        code, printed = copy.run(command, where)
        if (code != 0) != bool(FAILED.search(printed)):
            return f"$ {command}\n{printed}exit code {code}"
        if not agrees(expected, printed.splitlines()):
            return f"$ {command}\nprinted:\n{printed}but the page shows:\n" + "\n".join(expected)
    return None


def try_page(copy, page, folder):
    """Yields (number of the line, fault or None, why it was skipped or None)."""
    where = os.path.join(folder, page.replace(os.sep, "-"))
    os.mkdir(where)
    os.symlink(os.path.join(pages.SOURCE, "docs"), os.path.join(where, "docs"))
    for language, prose, lines, number in pages.blocks(pages.read(page)):
        name = FILE.search(prose)
        if language == "console":
            text = "\n".join(lines)
            if DATA in text and not os.path.isdir(DATA):
                yield number, None, f"{DATA} is not there"
            else:
                yield number, try_block(copy, lines, where), None
        elif name:
            with open(os.path.join(where, name.group(1)), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")


def main():
    build, prefix, libdir, *compiler = sys.argv[1:]
    count = 0
    with tempfile.TemporaryDirectory(prefix="tenon-docs-") as folder:
        copy = Copy(build, prefix, libdir, compiler, folder)
        for page in pages.paths():
            for number, fault, skipped in try_page(copy, page, folder):
                count += 1
                ending = f" # SKIP {skipped}" if skipped else ""
                print(f"{'not ok' if fault else 'ok'} - {page}:{number}{ending}")
                if fault:
                    print("\n".join("  " + line for line in fault.splitlines()))
    print(f"1..{count}")


main()
