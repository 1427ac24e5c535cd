#!/usr/bin/env python3
"""docs/contract.md has a row for every rule that the SDK's headers number, and tests/vulkan/README.md
one for each of its scenarios, each number once; and each row names tests that exist:
"`tests/contract/test_note.c`: values, `content`" is a file and texts that occur in it."""

import glob
import os
import re

import pages

CONTRACT = "docs/contract.md"
SCENARIOS = "tests/vulkan/README.md"
NUMBER = re.compile(r"TN-REQ-\d{3}")
TEST_FILE = re.compile(r"`(tests/[\w./-]+)`(?:: ((?:`[^`]+`(?:, )?)+))?")


def numbers_in_headers():
    found = set()
    for path in glob.glob(os.path.join(pages.SOURCE, "plugin-sdk", "**", "*.h"), recursive=True):
        with open(path, encoding="utf-8") as file:
            found.update(NUMBER.findall(file.read()))
    return found


def rows(text, number):
    """The cells of each line of a table that begins with a number."""
    for line in text.split("\n"):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and number.fullmatch(cells[0]):
            yield cells


def faults_of_row(cells, count):
    if len(cells) != count:
        yield f"{len(cells)} cells instead of {count}"
        return
    tests = TEST_FILE.findall(cells[-1])
    if not tests and cells[-1] != "none yet":
        yield "names no test, and does not say \"none yet\""
    for path, names in tests:
        if not os.path.isfile(os.path.join(pages.SOURCE, path)):
            yield f"{path} does not exist"
            continue
        text = pages.read(path)
        for name in re.findall(r"`([^`]+)`", names):
            if name not in text:
                yield f"{path} holds no '{name}'"


def faults_of_page(page, number, count, wanted):
    seen = set()
    for cells in rows(pages.read(page), number):
        if cells[0] in seen:
            yield f"{page}: {cells[0]} has two rows"
        seen.add(cells[0])
        for fault in faults_of_row(cells, count):
            yield f"{page}: {cells[0]}: {fault}"
    for missing in sorted(wanted - seen):
        yield f"{page}: {missing} has no row"


def main():
    faults = list(faults_of_page(CONTRACT, NUMBER, 5, numbers_in_headers()))
    faults += faults_of_page(SCENARIOS, re.compile(r"\d+"), 3, {str(i) for i in range(1, 63)})
    pages.finish(faults)


main()
