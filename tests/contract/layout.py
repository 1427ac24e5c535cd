#!/usr/bin/env python3
"""Sizes and offsets of every struct that crosses the line between host and plugin.

    layout.py COMPILER…            compares them with those recorded in layout-MAJOR.txt
    layout.py --write COMPILER…    records them

The structs are read out of the headers, so that none can be forgotten, and measured by the compiler.
While the contract's major is 0 every change is allowed, if it is recorded and docs/abi.md has a line
about it: the line names the digest of the recorded file. From major 1 on a struct that tells its size
may grow at its end, and nothing else may change.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
INCLUDE = os.path.join(ROOT, "plugin-sdk", "include")
# Read through a stride, which is as good as a size of their own.
HAVE_STRIDE = ("tn_attribute", "tn_entry")
# Not of plugin.h: what a plugin has for itself, which crosses no line.
OWN = ("elementwise.h", "exponential.h")


def declared_names(declaration):
    """The fields that "const char *a, *b" or "void (*call)(int x)" declares."""
    callback = re.match(r"[\w\s*]*\(\*\s*(?:const\s+)?(\w+)\)", declaration)
    if callback:
        return [callback.group(1)]
    return [re.findall(r"(\w+)\s*(?:\[[^]]*\]\s*)*$", part.strip())[0]
            for part in declaration.split(",")]


def structs_of(text):
    """(name, fields) of each struct that a header defines."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    for name, body in re.findall(r"struct (\w+) \{(.*?)\n\}", text, flags=re.S):
        fields = []
        for declaration in " ".join(body.split()).split(";"):
            if declaration.strip():
                fields += declared_names(declaration.strip())
        yield name, fields


def headers():
    folder = os.path.join(INCLUDE, "tenon", "plugin")
    for name in sorted(set(os.listdir(folder)) - set(OWN)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            yield file.read()


def program():
    """C source that prints "major N" and one line for each struct."""
    lines = ["#include <stdio.h>", "#include <tenon/plugin.h>", "int main(void) {",
             'printf("major %d\\n", TN_CONTRACT_MAJOR);']
    for text in headers():
        for name, fields in structs_of(text):
            lines.append(f'printf("{name} %zu:", sizeof({name}));')
            for field in fields:
                lines.append(f'printf(" {field} %zu+%zu", offsetof({name}, {field}), '
                             f"sizeof((({name} *)0)->{field}));")
            lines.append('printf("\\n");')
    return "\n".join([*lines, "return 0;", "}", ""])


def measure(compiler):
    """(major, lines)"""
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "layout")
        subprocess.run([*compiler, "-std=c11", "-w", "-I" + INCLUDE, "-xc", "-", "-o", binary],
                       input=program(), text=True, check=True)
        lines = subprocess.run([binary], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.splitlines()
    return int(lines[0].split()[1]), lines[1:]


def by_name(lines):
    return {line.split(" ", 1)[0]: line for line in lines}


def taken_apart(line):
    """(size, [(field, place)]) of a line."""
    head, fields = line.split(":", 1)
    words = fields.split()
    return int(head.split()[1]), list(zip(words[::2], words[1::2]))


def is_growth(recorded, now):
    """Whether `now` has all that was recorded, where it was, and more of it only behind. What was
    reserved may have got a name: it was zero before, and zero means absent."""
    old_size, old = taken_apart(recorded)
    new_size, new = taken_apart(now)
    if len(new) < len(old) or new_size < old_size:
        return False
    if (len(new) > len(old) or new_size > old_size) and \
            old[0] != ("struct_size", "0+4") and recorded.split()[0] not in HAVE_STRIDE:
        return False
    return all(before[1] == after[1] and before[0] in (after[0], "reserved")
               for before, after in zip(old, new))


def differences(recorded, now, frozen):
    """A sentence for each struct that differs as it must not."""
    old, new = by_name(recorded), by_name(now)
    for name in sorted({*old, *new}):
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        if frozen and after and (not before or is_growth(before, after)):
            continue
        yield f"recorded: {before or 'no ' + name}\n     now: {after or 'no ' + name}"


def digest(lines):
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


RECORDED = ["tn_a 24: struct_size 0+4 reserved 4+4 doc 8+8 last 16+4", "tn_v 8: x 0+4 y 4+4",
            "tn_entry 8: kind 0+8"]
# (what changed, the line that takes the place of the recorded one, allowed in a frozen major)
CASES = [
    ("nothing", RECORDED[0], True),
    ("a field at the end",
     "tn_a 32: struct_size 0+4 reserved 4+4 doc 8+8 last 16+4 more 24+8", True),
    ("a field in the padding at the end",
     "tn_a 24: struct_size 0+4 reserved 4+4 doc 8+8 last 16+4 more 20+4", True),
    ("a field for what was reserved", "tn_a 24: struct_size 0+4 flags 4+4 doc 8+8 last 16+4", True),
    ("a field of a struct with a stride", "tn_entry 16: kind 0+8 flags 8+4", True),
    ("a new struct", "tn_new 4: struct_size 0+4", True),
    ("another name", "tn_a 24: struct_size 0+4 reserved 4+4 docs 8+8 last 16+4", False),
    ("a wider field", "tn_a 32: struct_size 0+4 reserved 4+4 doc 8+16 last 24+4", False),
    ("a wider last field", "tn_a 24: struct_size 0+4 reserved 4+4 doc 8+8 last 16+8", False),
    ("a field in the middle",
     "tn_a 32: struct_size 0+4 reserved 4+4 more 8+8 doc 16+8 last 24+4", False),
    ("another order", "tn_a 24: struct_size 0+4 last 4+4 doc 8+8 reserved 16+4", False),
    ("a field that is gone", "tn_a 16: struct_size 0+4 reserved 4+4 doc 8+8", False),
    ("growth of a struct without a size", "tn_v 12: x 0+4 y 4+4 z 8+4", False),
]


def check_comparison():
    """The comparison itself, with layouts made up for it."""
    for what, line, allowed in CASES:
        now = list({**by_name(RECORDED), **by_name([line])}.values())
        if (not list(differences(RECORDED, now, True))) != allowed:
            yield f"frozen major: {what} is {'refused' if allowed else 'allowed'}"
        if (not list(differences(RECORDED, now, False))) != (now == RECORDED):
            yield f"major 0: {what} is not told apart"
    if not list(differences(RECORDED, RECORDED[1:], True)):
        yield "frozen major: a struct that is gone is allowed"


def check_note(major, recorded):
    """In major 0 a changed record needs its line in docs/abi.md."""
    path = os.path.join(ROOT, "docs", "abi.md")
    text = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
    if major == 0 and digest(recorded) not in text:
        yield (f"docs/abi.md has no line with `{digest(recorded)}`, which stands for the recorded "
               "layout: say there what changed and why")


def report(name, number, faults):
    faults = list(faults)
    print(f"{'not ok' if faults else 'ok'} {number} - {name}")
    for fault in faults:
        print("# " + fault.replace("\n", "\n# "))
    return not faults


def main():
    arguments = sys.argv[1:]
    write = arguments[:1] == ["--write"]
    major, now = measure(arguments[1:] if write else arguments)
    path = os.path.join(HERE, f"layout-{major}.txt")
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(now) + "\n")
        print(f"{path}: {len(now)} structs; the line in docs/abi.md must name `{digest(now)}`")
        return 0
    recorded = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            recorded = file.read().splitlines()
    print("1..3")
    good = report("comparison", 1, check_comparison())
    good &= report("layout", 2, differences(recorded, now, major > 0))
    good &= report("docs/abi.md", 3, check_note(major, recorded))
    if not good:
        print("# record a wanted change with: tests/contract/layout.py --write cc")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
