#!/usr/bin/env python3
"""What the tree does not hold: places of one person's machine, unfinished business, links to
homes that nobody has looked at, and text that is not UTF-8 or trails off in spaces."""

import re

import tree

TEXT = (".c", ".h", ".py", ".sh", ".md", ".build", ".txt", ".in", ".1", "dev", "run", "LICENSE")
# Where the project's pages may link to.
HOMES = """
apache.org arxiv.org criterion.readthedocs.io debian.org dmlc.github.io example.org github.com
gnu.org khronos.org mesonbuild.com numpy.org onnx.ai reproducible-builds.org yann.lecun.com
""".split()
FAULTS = (
    (re.compile(r"(?<![\w./])/(?:work|home|root|Users)/\w"), "a place on one machine"),
    (re.compile(r"\b(?:TODO|FIXME|XXX)\b"), "unfinished business"),
    (re.compile(r"\b[Ii]ssues? #?\d|(?<![\w&])#\d{1,2}\b"), "a number that only a tracker knows"),
    (re.compile(r"[ \t]+$"), "space at the end of the line"),
    (re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)"), "a merge conflict"),
)
LINK = re.compile(r"\b(?:https?|ftp|git|ssh)://([\w.-]+)")


def home_is_known(host):
    return any(host == home or host.endswith("." + home) for home in HOMES)


def faults_of(path):
    try:
        lines = tree.read(path).split("\n")
    except UnicodeDecodeError:
        return [f"{path}: not UTF-8"]
    faults = []
    for number, line in enumerate(lines, 1):
        for pattern, what in FAULTS:
            if pattern.search(line):
                faults.append(f"{path}:{number}: {what}")
        for host in LINK.findall(line):
            if not home_is_known(host):
                faults.append(f"{path}:{number}: a link to {host}, which is not in the list of homes")
    return faults


def main():
    paths = [p for p in tree.files(endings=TEXT) if not p.endswith("style/words.py")]
    tree.finish([fault for path in paths for fault in faults_of(path)])


main()
