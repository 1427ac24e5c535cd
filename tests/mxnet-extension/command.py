#!/usr/bin/env python3
"""The command with an extension library: inspected, run, asked why.

    command.py FOLDER    where the test libraries are
"""

import json
import os
import subprocess
import sys
import tempfile

COMMAND = os.environ["TENON_TEST_COMMAND"]
LIBRARIES = sys.argv[1]


def tenon(*arguments):
    result = subprocess.run([COMMAND, *arguments, "--allow-writable"], capture_output=True,
                            text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def library(name):
    return os.path.join(LIBRARIES, name + ".so")


def inspect(*options):
    return subprocess.run([COMMAND, "plugin", "inspect", library("operators_7"), *options],
                          capture_output=True, text=True, check=False)


def inspecting_lists_what_it_offers():
    result = inspect()
    assert "MXNet extension, library API version 7" in result.stdout, result
    if result.returncode == 0:  # the folder may be one that others can write to
        assert "op        ext_product" in result.stdout, result
    else:
        assert "would be refused: the" in result.stdout, result


def inspecting_can_leave_it_unrun():
    result = inspect("--no-run")
    assert "MXNet extension, library API version 7" in result.stdout, result
    assert "ext_product" not in result.stdout, result


def inspecting_as_json():
    described = json.loads(inspect("--json", "--no-run").stdout)
    assert described["loader"] == "mxnet", described
    assert described["description"] == "MXNet extension, library API version 7", described


def write_chain(folder, *nodes):
    """A model of nodes (operator, attributes) one after the other; its path."""
    model = os.path.join(folder, "model-symbol.json")
    listed = [{"op": "null", "name": "x", "inputs": []}]
    for operator, attributes in nodes:
        listed.append({"op": operator, "name": f"n{len(listed)}", "attrs": attributes,
                       "inputs": [[len(listed) - 1, 0, 0]]})
    with open(model, "w", encoding="utf-8") as file:
        json.dump({"nodes": listed, "arg_nodes": [0], "heads": [[len(nodes), 0, 0]],
                   "attrs": {"mxnet_version": ["int", 10900]}}, file)
    return model


def running():
    with tempfile.TemporaryDirectory() as folder:
        model = write_chain(folder, ("ext_scale", {"factor": "3"}))
        code, text = tenon("run", model, "--plugin", library("operators_11"), "--shape", "x=2")
        assert code == 0 and "n1_output: float32 (2) [0, 0]" in text, text


def partitioning_sees_the_nodes_of_the_model():
    """And not those that the usual passes of a run make of them."""
    with tempfile.TemporaryDirectory() as folder:
        model = write_chain(folder, ("exp", {}), ("log", {}))
        code, text = tenon("run", model, "--plugin", library("partitioners_11"), "--shape", "x=2",
                           "--partition", "ext_supported:plus=10")
        assert code == 0 and "n2_output: float32 (2) [10, 10]" in text, text


def what_is_partitioned_is_kept_in_a_file():
    """With the input that a pass gave the subgraph's node after it."""
    with tempfile.TemporaryDirectory() as folder:
        model = write_chain(folder, ("exp", {}), ("log", {}))
        kept = os.path.join(folder, "kept-symbol.json")
        plugins = ["--plugin", library("partitioners_10"), "--plugin", library("passes_10")]
        code, text = tenon("convert", model, kept, "--partition", "ext_supported", "--pass",
                           "ext_extra", *plugins)
        assert code == 0, text
        with open(kept, encoding="utf-8") as file:
            node = [n for n in json.load(file)["nodes"] if n["op"] == "_ext_subgraph"][0]
        assert node["attrs"]["__ext_extra_inputs__"] == "1", node
        assert len(node["inputs"]) == 2 and len(node["subgraphs"]) == 1, node
        code, text = tenon("run", kept, "--shape", "x=2", *plugins)
        assert code == 0 and "n2_output: float32 (2) [-5, -5]" in text, text


def asking_why():
    code, text = tenon("plugin", "why", "version_8", "--plugin", library("version_8"))
    assert code == 0 and "library API version 8" in text and "refused" in text, text


def a_refusal_ends_the_command():
    code, text = tenon("plugin", "list", "--plugin", library("refuses"))
    assert code != 0 and "initialize(10700)" in text, text


TESTS = [inspecting_lists_what_it_offers, inspecting_can_leave_it_unrun, inspecting_as_json,
         running, partitioning_sees_the_nodes_of_the_model,
         what_is_partitioned_is_kept_in_a_file, asking_why, a_refusal_ends_the_command]


def main():
    print(f"1..{len(TESTS)}")
    failures = 0
    for number, test in enumerate(TESTS, 1):
        try:
            test()
            print(f"ok {number} - {test.__name__}")
        except AssertionError as error:
            failures += 1
            print(f"not ok {number} - {test.__name__}")
            print("# " + str(error).replace("\n", "\n# "))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
