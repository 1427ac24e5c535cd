#!/usr/bin/env python3
"""Files of at most 600 lines (a note from 400 on), functions of at most 60."""

import re

import tree

FILE_NOTE, FILE_LIMIT, FUNCTION_LIMIT = 400, 600, 60


def without_directives(text):
    """The text with preprocessor lines blanked, continued ones too: macros may hold odd braces."""
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group(0)),
                  text, flags=re.M)


def functions(text):
    """(name, first line, number of lines) of each function."""
    text = without_directives(tree.code_only(text))
    depth = head_start = body_start = 0
    for match in re.finditer(r"[{};]", text):
        mark, where = match.group(0), match.start()
        if mark == "{":
            if depth == 0:
                body_start = where
            depth += 1
        elif mark == "}":
            depth -= 1
        if depth > 0 or mark == "{":
            continue
        # Before a function's body stands ")"; its name is on the last line that is not indented.
        head = text[head_start:body_start]
        starts = list(re.finditer(r"^\w[^\n]*?(\w+)\s*\(", head, re.M))
        if mark == "}" and starts and head.rstrip().endswith(")"):
            first = text.count("\n", 0, head_start + starts[-1].start()) + 1
            yield starts[-1].group(1), first, text.count("\n", 0, where) + 2 - first
        head_start = body_start = where + 1


def main():
    faults, notes = [], []
    for path in tree.c_files():
        text = tree.read(path)
        count = text.count("\n")
        if count > FILE_LIMIT:
            faults.append(f"{path}: {count} lines, more than {FILE_LIMIT}")
        elif count > FILE_NOTE:
            notes.append(f"{path}: {count} lines")
        for name, line, length in functions(text):
            if length > FUNCTION_LIMIT:
                faults.append(f"{path}:{line}: {name}: {length} lines, more than {FUNCTION_LIMIT}")
    tree.finish(faults, notes)


main()
