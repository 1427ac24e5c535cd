#!/usr/bin/env python3
"""The C code is as clang-format writes it (./dev format does that)."""

import re
import shutil
import subprocess

import tree

VERSION = "14"  # Debian 12's; others lay some lines out differently


def main():
    tool = shutil.which("clang-format")
    if not tool:
        tree.skip("clang-format is not installed")
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    if not re.search(rf"version {VERSION}\.", version):
        tree.skip(f"needs clang-format {VERSION}, this is: {version.strip()}")
    result = subprocess.run([tool, "--dry-run", "--ferror-limit=1", *tree.c_files(),
                             *tree.files("plugins", "tests", endings=(".cpp", ".hpp"))],
                            capture_output=True, text=True, cwd=tree.ROOT, check=False)
    places = re.findall(r"^(\S+:\d+):\d+: (?:warning|error): code should be", result.stderr, re.M)
    first = {}
    for place in places:
        first.setdefault(place.split(":")[0], place)
    faults = [f"{place}: not as clang-format writes it" for place in first.values()]
    if result.returncode != 0 and not faults:
        faults.append(result.stderr.strip())
    tree.finish(faults)


main()
