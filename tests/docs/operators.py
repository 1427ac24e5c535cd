#!/usr/bin/env python3
"""docs/operators.md is what the built command prints: `tenon ops --markdown`.

    operators.py TENON

A build that leaves plugins out knows fewer operators: only theirs are compared then.
"""

import re
import subprocess
import sys

import pages

PAGE = "docs/operators.md"
REMEDY = f"run: ./dev tenon ops --markdown >{PAGE}"


def sections(text):
    """Operator → its part of the reference."""
    parts = re.split(r"^## (.+)$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def main():
    result = subprocess.run([sys.argv[1], "ops", "--markdown"], capture_output=True, text=True,
                            check=True)
    built, written = sections(result.stdout), sections(pages.read(PAGE))
    faults = [f"{PAGE} lacks {name}; {REMEDY}" for name in sorted(built.keys() - written.keys())]
    faults += [f"{PAGE} says something else of {name}; {REMEDY}"
               for name in sorted(built.keys() & written.keys())
               if built[name].strip() != written[name].strip()]
    pages.finish(faults)


main()
