"""What the style checks share: the project's files, and how a check reports."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED_EXIT = 77
C_FOLDERS = ("plugin-sdk", "host", "backends", "plugins", "tests", "docs")


def files(*folders, endings=None):
    """Paths of the project's own files, relative to its root, in a fixed order."""
    found = []
    for folder in folders or (".",):
        for where, inner, names in os.walk(os.path.join(ROOT, folder)):
            inner[:] = sorted(i for i in inner if i not in (".git", "build", "__pycache__"))
            for name in sorted(names):
                if endings is None or name.endswith(endings):
                    found.append(os.path.relpath(os.path.join(where, name), ROOT))
    return found


def c_files(*folders):
    return files(*(folders or C_FOLDERS), endings=(".c", ".h"))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def code_only(text):
    """The text with comments and the insides of literals blanked; lines keep their numbers."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''

    def blank(match):
        piece = match.group(0)
        if piece.startswith("/"):
            return re.sub(r"[^\n]", " ", piece)
        return piece[0] + " " * (len(piece) - 2) + piece[-1]

    return re.sub(pattern, blank, text, flags=re.S)


def finish(faults, warnings=()):
    """Prints what was found and ends the check."""
    for warning in warnings:
        print("note: " + warning)
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED_EXIT)
