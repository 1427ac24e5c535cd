#!/usr/bin/env python3
"""docs/mxnet.md names every function of MXNet's C API, as the shared facts list them.

The facts abbreviate: "PushPull(Ex)" stands for two functions, and the prefix of a group is left out.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FACTS = os.path.join(ROOT, "..", "shared", "facts", "mxnet-c-api.md")
# Words of the list that are no functions.
NO_FUNCTIONS = {"RecordIO"}
# MXNet's own spelling, and a name that the list cuts short.
ALIASES = {"SendCommandToServers": "SendCommmandToServers", "IsWorker": "IsWorkerNode"}


def listed_names(text):
    """(group, name) of each function of the table's second column."""
    for line in text.splitlines():
        cells = line.split("|")
        if len(cells) < 5 or not re.match(r"[a-z]", cells[1].strip()) or cells[1].strip() == "group":
            continue
        for name, variants in re.findall(r"\b([A-Z]\w+)(?:\(([^)]*)\))?", cells[2]):
            endings = [ending for ending in ("Ex", "64") if ending in (variants or "").replace(
                ",", " ").split()]
            for ending in ["", *endings]:
                yield cells[1].strip(), ALIASES.get(name, name) + ending


def is_named(name, documented):
    return any(function == name or function.endswith(name) or function == "MX" + name
               for function in documented)


def main():
    if not os.path.exists(FACTS):
        print("skipped: ../shared/facts/mxnet-c-api.md is not there")
        return 77
    with open(FACTS, encoding="utf-8") as file:
        names = list(listed_names(file.read()))
    with open(os.path.join(ROOT, "docs", "mxnet.md"), encoding="utf-8") as file:
        documented = set(re.findall(r"`(MX\w+)`", file.read()))
    missing = [f"{group}: {name}" for group, name in names
               if name not in NO_FUNCTIONS and not is_named(name, documented)]
    if len(names) < 120:
        missing.append(f"only {len(names)} functions were found in the list")
    for name in missing:
        print(f"docs/mxnet.md does not name {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
