#!/usr/bin/env python3
"""Runs ONNX's conformance suites: Debian's libonnx-testdata, and those in ../shared when present.

    conformance.py RUNNER report      all suites, on the CPU and on Vulkan; writes
                                      docs/onnx-operators.md and the lists below
    conformance.py RUNNER check       all of Debian's, and fails when one of passed.txt does not pass
                  --device NAME       on another device than the CPU: and on a case of
                                      passed_on_vulkan.txt for which the CPU had to help

passed.txt lists the cases of Debian's that have passed, passed_on_vulkan.txt those that have without
a step on the CPU: a change may add to them, not take away.
"""

import argparse
import collections
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LIST = os.path.join(HERE, "passed.txt")
DEVICE_LIST = os.path.join(HERE, "passed_on_vulkan.txt")
PAGE = os.path.join(ROOT, "docs", "onnx-operators.md")
DEBIAN = "/usr/share/libonnx-testdata/data"
SHARED = os.path.join(os.path.dirname(ROOT), "shared")
SUITES = (("Debian's libonnx-testdata", DEBIAN),
          ("ONNX node tests up to set 27", os.path.join(SHARED, "onnx-node-tests")),
          ("ONNX graph tests", os.path.join(SHARED, "onnx-graph-tests")))
SKIPPED = 77
# What they give is drawn anew: a case of theirs passes by chance, and is never listed.
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
          "RandomUniformLike"}


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


def on_vulkan(result):
    """Whether a case passed there, and without a step on the CPU."""
    verdict, elsewhere = result
    return verdict == "passed", verdict == "passed" and not elsewhere


def table(title, results, device_results):
    counts = collections.defaultdict(collections.Counter)
    totals = collections.Counter(verdict for verdict, _ in results.values())
    for folder, (verdict, _) in results.items():
        passed, alone = on_vulkan(device_results[folder])
        totals.update(vulkan=passed, alone=alone)
        for name in operators_of(folder):
            counts[name][verdict] += 1
            counts[name].update(vulkan=passed, alone=alone)
    lines = [f"## {title}", "",
             f"{len(results)} cases: {totals['passed']} passed, {totals['failed']} failed, "
             f"{totals['unsupported']} unsupported; on Vulkan {totals['vulkan']} passed, "
             f"{totals['alone']} of them wholly on the device.", "",
             "| operator | passed | failed | unsupported | on Vulkan | wholly on the device |",
             "| --- | --- | --- | --- | --- | --- |"]
    lines += [f"| {name} | {c['passed']} | {c['failed']} | {c['unsupported']} | {c['vulkan']} | "
              f"{c['alone']} |" for name, c in sorted(counts.items())]
    return lines + [""]


def write_list(path, folders):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(name + "\n" for name in sorted(os.path.relpath(f, DEBIAN) for f in folders))


def read_list(path):
    with open(path, encoding="utf-8") as file:
        return [os.path.join(DEBIAN, line.strip()) for line in file]


def report(runner):
    lines = ["# ONNX operators", "",
             "What `./dev conformance` has found: for each operator how many of the cases that use",
             "it pass. Tolerances are the suite's own (rtol 1e-3, atol 1e-7; integers, booleans and",
             "strings exactly). A case is unsupported when the library says so, by name. The last",
             "two columns count the cases that pass on Vulkan (Mesa's software renderer), and those",
             "of them in which no node was left to the CPU.", ""]
    for title, folder in SUITES:
        folders = cases_of(folder)
        if not folders:
            print(f"{title}: not present")
            continue
        results = run(runner, "cpu", folders)
        device_results = run(runner, "vulkan", folders)
        section = table(title, results, device_results)
        lines += section
        print(f"{title}: {section[2]}")
        for name in folders:
            if results[name][0] == "failed":
                print(f"  failed {os.path.basename(name)}: {results[name][1][:200]}")
            elif results[name][0] == "passed" and device_results[name][0] != "passed":
                print(f"  failed on Vulkan {os.path.basename(name)}: {device_results[name][1][:200]}")
        if folder == DEBIAN:
            write_list(LIST, [f for f in folders
                              if results[f][0] == "passed" and not operators_of(f) & RANDOM])
            write_list(DEVICE_LIST, [f for f in folders if on_vulkan(device_results[f])[1]])
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip() + "\n")


def check(runner, device):
    wanted = set(read_list(LIST))
    if not os.path.isdir(DEBIAN):
        print("skipped: libonnx-testdata is not installed")
        sys.exit(SKIPPED)
    folders = sorted(wanted.union(cases_of(DEBIAN)))
    results = run(runner, device, folders)
    lost = 0
    for folder in folders:
        verdict, message = results.get(folder, ("lost", "no verdict"))
        name = os.path.relpath(folder, DEBIAN)
        if folder in wanted and verdict != "passed":
            print(f"{name} has passed before: {verdict}: {message}")
            lost += 1
        elif folder not in wanted and verdict == "passed":
            print(f"{name} passes, and is not in the list: see ./dev conformance")
    passed = sum(verdict == "passed" for verdict, _ in results.values())
    print(f"{passed} of {len(folders)} cases pass on {device}; {lost} fail that have passed before")
    helped = [f for f in read_list(DEVICE_LIST) if device != "cpu" and results[f][1]]
    for folder in helped:
        print(f"{os.path.relpath(folder, DEBIAN)} has passed on the device alone before; now on the "
              f"CPU: {results[folder][1]}")
    if device != "cpu":
        alone = sum(on_vulkan(result)[1] for result in results.values())
        print(f"{alone} of them wholly on the device")
    sys.exit(1 if lost or helped else 0)


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
