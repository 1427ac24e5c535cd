#!/usr/bin/env python3
"""Calls that the library and its plugins do without: unbounded ones, those that end the process,
those that print, and those that change what belongs to the whole process."""

import re

import tree

BANNED = {
    "strcpy strcat sprintf vsprintf gets strtok": "does not know the size of what it writes",
    "abort exit _exit quick_exit assert err errx": "ends the process",
    "atexit on_exit": "runs when the library may be gone",
    "system popen": "runs a shell",
    "printf puts putchar perror vprintf": "prints: the library has the log service for that",
    "setenv putenv unsetenv setlocale chdir umask signal srand": "changes the whole process",
    "rand": "has hidden state",
    "getenv": "trusts the environment of a privileged process: secure_getenv",
    "alloca": "takes stack without a limit",
}
# Who may, and why.
MAY = {
    "host/cli/": "exit _exit printf puts putchar vprintf getenv",  # a process of its own
    "host/plugin/process_state.c": "setlocale umask",  # compares and restores them
}


def main():
    reasons = {call: why for calls, why in BANNED.items() for call in calls.split()}
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(reasons) + r")\s*\(")
    faults = []
    for path in tree.c_files("plugin-sdk", "host", "backends", "plugins"):
        allowed = [call for start in MAY if path.startswith(start) for call in MAY[start].split()]
        for number, line in enumerate(tree.code_only(tree.read(path)).split("\n"), 1):
            for match in pattern.finditer(line):
                if match.group(1) not in allowed:
                    faults.append(f"{path}:{number}: {match.group(1)} {reasons[match.group(1)]}")
    tree.finish(faults)


main()
