#!/usr/bin/env python3
"""What the binaries show each other.

    symbols.py library FILE      libtenon exports tn_* and nothing else
    symbols.py command FILE      the command exports nothing of ours
    symbols.py plugin FILE…      a plugin exports tenon_plugin alone, and needs nothing of libtenon
"""

import subprocess
import sys

import tree


def names(path, which):
    """Dynamic symbols, without the compiler's and the sanitizers' own (two underscores)."""
    output = subprocess.run(["nm", "-D", "--format=posix", which, path], check=True,
                            capture_output=True, text=True).stdout
    found = (line.split()[0].split("@")[0] for line in output.splitlines())
    return [name for name in found if not name.startswith("__") and name not in ("_init", "_fini")]


def library(path):
    return [f"{path}: exports {n}" for n in names(path, "--defined-only")
            if not n.startswith("tn_") or n.startswith("tni_")]


def command(path):
    return [f"{path}: exports {n}" for n in names(path, "--defined-only")
            if n.startswith(("tn_", "tni_"))]


def plugin(path):
    faults = [f"{path}: needs {n}" for n in names(path, "--undefined-only")
              if n.startswith(("tn_", "tni_"))]
    exported = names(path, "--defined-only")
    if exported != ["tenon_plugin"]:
        faults.append(f"{path}: exports {' '.join(exported) or 'nothing'}, not tenon_plugin alone")
    return faults


def main():
    check = {"library": library, "command": command, "plugin": plugin}[sys.argv[1]]
    tree.finish([fault for path in sys.argv[2:] for fault in check(path)])


main()
