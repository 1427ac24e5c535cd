"""The project's pages as the tests of the documentation see them."""

import glob
import os
import re
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FENCE = re.compile(r"^ *(```+)\s*(\w*)\s*$")


def paths():
    """README.md and every page below docs/, relative to the source folder."""
    found = glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True)
    return ["README.md"] + sorted(os.path.relpath(path, SOURCE) for path in found)


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """(language, the last line of prose before it, its lines, the number of its first line)."""
    prose, language, lines, start = "", None, [], 0
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        if language is not None:
            if fence:
                yield language, prose, lines, start
                language, prose = None, ""
            else:
                lines.append(line)
        elif fence:
            language, lines, start = fence.group(2), [], number + 1
        elif line.strip():
            prose = line.strip()


def without_blocks(text):
    """The text with the insides of its blocks blanked."""
    kept, inside = [], False
    for line in text.split("\n"):
        is_fence = FENCE.match(line) is not None
        inside = inside != is_fence
        kept.append("" if inside or is_fence else line)
    return "\n".join(kept)


def finish(faults):
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)
