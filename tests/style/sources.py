#!/usr/bin/env python3
"""Every C file is built: a file that no meson.build names would be checked by nothing.

    sources.py BUILD

A folder of which nothing is built is a plugin that the build was told to leave out.
"""

import json
import os
import sys

import tree


def main():
    build = sys.argv[1]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    built = {os.path.relpath(os.path.realpath(os.path.join(c["directory"], c["file"])),
                             os.path.realpath(tree.ROOT)) for c in commands}
    folders = {os.path.dirname(path) for path in built}
    optional = ("plugins" + os.sep, "backends" + os.sep)
    faults = []
    for path in tree.files("host", "backends", "plugins", "tests", endings=(".c",)):
        left_out = path.startswith(optional) and os.path.dirname(path) not in folders
        if path not in built and not left_out:
            faults.append(f"{path}: not built")
    tree.finish(faults)


main()
