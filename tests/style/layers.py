#!/usr/bin/env python3
"""Includes run one way only: a file includes its own floor or a lower one.

The host's floors are folders of host/. The command uses the embedding API alone, plugins and
backends use the contract alone, and the two sets of public headers stand by themselves.
"""

import os
import re

import tree

FLOORS = {"base": 1, "plugin": 2, "tensor": 2, "device": 3, "graph": 4, "schedule": 4, "run": 5}
CONTRACT = r"tenon/plugin(\.h|/.+\.h)"
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)


def quoted_in_host(folder, name):
    """Why a file of a floor may not include "name", or None."""
    other = name.split("/")[0] if "/" in name else folder
    if other not in FLOORS:
        return "is not on a floor of the host"
    if FLOORS[other] > FLOORS[folder]:
        return f"is on floor {FLOORS[other]}, above floor {FLOORS[folder]}"
    return None


def quoted_beside(path, name):
    """Why a file may not include "name" when only its own folder, and that of its plugin, are open
    to it, or None. A header that the build writes is known by the C file it comes with."""
    own, plugin = os.path.dirname(path), os.path.join(*path.split(os.sep)[:2])
    there = any(os.path.exists(os.path.join(tree.ROOT, f, name)) for f in (own, plugin))
    written = any(name[:-2] + ".c" in tree.read(os.path.join(f, "meson.build"))
                  for f in (own, plugin) if os.path.exists(os.path.join(tree.ROOT, f, "meson.build")))
    if ".." in name or not (there or written):
        return "is not in the file's own folder"
    return None


def why_not(path, mark, name):
    part = path.split(os.sep)
    ours = name.startswith("tenon/")
    if part[0] == "plugin-sdk" and "templates" not in part:
        if mark == '"' or (ours and not re.fullmatch(CONTRACT, name)):
            return "is not in the contract's headers"
    elif part[0] in ("plugins", "backends") or "templates" in part:
        if mark == '"':
            return quoted_beside(path, name)
        if ours and not re.fullmatch(CONTRACT, name):
            return "is not in the contract's headers"
    elif part[:2] == ["host", "include"]:
        if mark == '"':
            return "is private: public headers include <tenon/…> only"
    elif part[:2] == ["host", "cli"]:
        if mark == '"':
            return quoted_beside(path, name)
    elif part[0] == "host" and mark == '"':
        return quoted_in_host(part[1], name)
    return None


def main():
    faults = []
    for path in tree.c_files("plugin-sdk", "host", "backends", "plugins"):
        text = tree.read(path)
        for match in INCLUDE.finditer(text):
            why = why_not(path, match.group(1), match.group(2))
            if why:
                line = text.count("\n", 0, match.start(2)) + 1
                faults.append(f"{path}:{line}: {match.group(2)} {why}")
    tree.finish(faults)


main()
