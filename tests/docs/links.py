#!/usr/bin/env python3
"""Every relative link of the pages leads to a file of the tree, and to a heading that it has."""

import os
import re

import pages

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors(text):
    """The anchors that a page's headings make: lower case, words joined by '-'."""
    found = set()
    for heading in re.findall(r"^#+ +(.*)$", pages.without_blocks(text), re.M):
        plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        found.add(plain.replace(" ", "-"))
    return found


def fault_of(page, target):
    path, _, anchor = target.partition("#")
    where = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if where.startswith(".."):
        return "leads out of the tree"
    if not os.path.exists(os.path.join(pages.SOURCE, where)):
        return "leads to nothing"
    if anchor and where.endswith(".md") and anchor not in anchors(pages.read(where)):
        return "names a heading that the page does not have"
    return None


def main():
    faults = []
    for page in pages.paths():
        for target in LINK.findall(pages.without_blocks(pages.read(page))):
            fault = None if re.match(r"[a-z]+:", target) else fault_of(page, target)
            if fault:
                faults.append(f"{page}: the link {target} {fault}")
    pages.finish(faults)


main()
