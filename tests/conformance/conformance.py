#!/usr/bin/env python3
"""Runs ONNX's conformance suites: Debian's libonnx-testdata, and those in ../shared when present.

    conformance.py RUNNER report      all suites; writes docs/onnx-operators.md and passed.txt
    conformance.py RUNNER check       Debian's, and fails on a case of passed.txt that does not pass
                  --device NAME       on another device than the CPU (check only)

passed.txt lists the cases of Debian's that have passed: a change may add to it, not take away.
"""

import argparse
import collections
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIST = os.path.join(HERE, "passed.txt")
PAGE = os.path.join(ROOT, "docs", "onnx-operators.md")
DEBIAN = "/usr/share/libonnx-testdata/data"
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
SUITES = (("Debian's libonnx-testdata", DEBIAN),
          ("ONNX node tests up to set 27", os.path.join(SHARED, "onnx-node-tests")),
          ("ONNX graph tests", os.path.join(SHARED, "onnx-graph-tests")))
SKIPPED = 77


def cases_of(folder):
    """The folders below that hold a model."""
    return sorted(path for path, _, files in os.walk(folder) if "model.onnx" in files)


def run(runner, device, folders):
    """{folder: (verdict, message)}; in pieces, since a command line has its limit."""
    results = {}
    for first in range(0, len(folders), 500):
        result = subprocess.run([runner, "--device", device, *folders[first:first + 500]],
                                capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"conformance: {result.stderr.strip()}")
        for line in result.stdout.splitlines():
            folder, verdict, message = line.split("\t")
            results[folder] = (verdict, message)
    return results


# As much of the wire format as finds the operators' names.

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            _, at = varint(data, at)
            continue
        size, at = (8, at) if wire == 1 else (4, at) if wire == 5 else varint(data, at)
        if wire == 2:
            yield tag >> 3, data[at:at + size]
        at += size


def add_operators(graph, names):
    for number, node in fields(graph):
        if number != 1:
            continue
        op = domain = ""
        for part, content in fields(node):
            if part == 4:
                op = content.decode()
            elif part == 7:
                domain = content.decode()
            elif part == 5:
                for inner, value in fields(content):
                    if inner == 6:
                        add_operators(value, names)
        names.add(op if domain in ("", "ai.onnx") else f"{domain}.{op}")


def operators_of(folder):
    names = set()
    with open(os.path.join(folder, "model.onnx"), "rb") as file:
        for number, content in fields(file.read()):
            if number == 7:
                add_operators(content, names)
    return names


def table(title, results):
    counts = collections.defaultdict(collections.Counter)
    totals = collections.Counter(verdict for verdict, _ in results.values())
    for folder, (verdict, _) in results.items():
        for name in operators_of(folder):
            counts[name][verdict] += 1
    lines = [f"## {title}", "",
             f"{len(results)} cases: {totals['passed']} passed, {totals['failed']} failed, "
             f"{totals['unsupported']} unsupported.", "",
             "| operator | passed | failed | unsupported |", "| --- | --- | --- | --- |"]
    lines += [f"| {name} | {c['passed']} | {c['failed']} | {c['unsupported']} |"
              for name, c in sorted(counts.items())]
    return lines + [""]


def report(runner):
    lines = ["# ONNX operators", "",
             "What `./dev conformance` has found: for each operator how many of the cases that use",
             "it pass. Tolerances are the suite's own (rtol 1e-3, atol 1e-7; integers, booleans and",
             "strings exactly). A case is unsupported when the library says so, by name.", ""]
    for title, folder in SUITES:
        folders = cases_of(folder)
        if not folders:
            print(f"{title}: not present")
            continue
        results = run(runner, "cpu", folders)
        section = table(title, results)
        lines += section
        print(f"{title}: {section[2]}")
        for name in folders:
            if results[name][0] == "failed":
                print(f"  failed {os.path.basename(name)}: {results[name][1][:200]}")
        if folder == DEBIAN:
            passed = sorted(os.path.relpath(f, DEBIAN) for f in folders if results[f][0] == "passed")
            with open(LIST, "w", encoding="utf-8") as file:
                file.writelines(name + "\n" for name in passed)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip() + "\n")


def check(runner, device):
    with open(LIST, encoding="utf-8") as file:
        wanted = [os.path.join(DEBIAN, line.strip()) for line in file]
    if not os.path.isdir(DEBIAN):
        print("skipped: libonnx-testdata is not installed")
        sys.exit(SKIPPED)
    results = run(runner, device, wanted)
    lost = [f for f in wanted if results.get(f, ("lost", ""))[0] != "passed"]
    for folder in lost:
        verdict, message = results.get(folder, ("lost", "no verdict"))
        print(f"{os.path.relpath(folder, DEBIAN)} has passed before: {verdict}: {message}")
    print(f"{len(wanted) - len(lost)} of {len(wanted)} cases pass on {device}")
    sys.exit(1 if lost else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runner")
    parser.add_argument("what", choices=("report", "check"))
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    if given.what == "report":
        report(given.runner)
    else:
        check(given.runner, given.device)


main()
