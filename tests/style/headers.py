#!/usr/bin/env python3
"""Every public header compiles by itself, as C11 and as C++17, without a warning.

    headers.py C-COMPILER
"""

import os
import shutil
import subprocess
import sys

import tree

FOLDERS = ("plugin-sdk/include", "host/include")
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]


def compile_alone(command, folder, header):
    """The compiler's words when it does not like a file that holds nothing but the header. The
    contract's headers must do without the embedding API."""
    folders = FOLDERS[: FOLDERS.index(folder) + 1]
    result = subprocess.run([*command, *WARNINGS, *("-I" + f for f in folders), "-"],
                            input=f"#include <{header}>\n", cwd=tree.ROOT, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    return result.stderr if result.returncode else None


def main():
    languages = {"C11": [*sys.argv[1:], "-std=c11", "-xc"]}
    if shutil.which("c++"):
        languages["C++17"] = ["c++", "-std=c++17", "-xc++"]
    else:
        print("note: no C++ compiler, C11 alone")
    faults = []
    for folder in FOLDERS:
        for path in tree.files(folder, endings=".h"):
            header = os.path.relpath(path, folder)
            for language, command in languages.items():
                said = compile_alone(command, folder, header)
                if said:
                    faults.append(f"{path}: as {language}:\n{said.strip()}")
    tree.finish(faults)


main()
