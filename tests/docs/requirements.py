#!/usr/bin/env python3
"""docs/contract.md has a row for every rule that the SDK's headers number, each number once; and
each row names tests that exist: "`tests/contract/test_note.c`: values, `content`" is a file and
texts that occur in it."""

import glob
import os
import re

import pages

PAGE = "docs/contract.md"
NUMBER = re.compile(r"TN-REQ-\d{3}")
TEST_FILE = re.compile(r"`(tests/[\w./-]+)`(?:: ((?:`[^`]+`(?:, )?)+))?")


def numbers_in_headers():
    found = set()
    for path in glob.glob(os.path.join(pages.SOURCE, "plugin-sdk", "**", "*.h"), recursive=True):
        with open(path, encoding="utf-8") as file:
            found.update(NUMBER.findall(file.read()))
    return found


def rows(text):
    """The cells of each line of a table that begins with a number."""
    for line in text.split("\n"):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and NUMBER.fullmatch(cells[0]):
            yield cells


def faults_of_row(cells):
    if len(cells) != 5:
        yield f"{len(cells)} cells instead of 5"
        return
    tests = TEST_FILE.findall(cells[4])
    if not tests and cells[4] != "none yet":
        yield "names no test, and does not say \"none yet\""
    for path, names in tests:
        if not os.path.isfile(os.path.join(pages.SOURCE, path)):
            yield f"{path} does not exist"
            continue
        text = pages.read(path)
        for name in re.findall(r"`([^`]+)`", names):
            if name not in text:
                yield f"{path} holds no '{name}'"


def main():
    faults, seen = [], set()
    for cells in rows(pages.read(PAGE)):
        if cells[0] in seen:
            faults.append(f"{PAGE}: {cells[0]} has two rows")
        seen.add(cells[0])
        faults += [f"{PAGE}: {cells[0]}: {fault}" for fault in faults_of_row(cells)]
    for number in sorted(numbers_in_headers() - seen):
        faults.append(f"{PAGE}: {number} has no row")
    pages.finish(faults)


main()
