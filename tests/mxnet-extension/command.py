#!/usr/bin/env python3
"""The command with an extension library: inspected, run, asked why.

    command.py FOLDER    where the test libraries are
"""

import json
import os
import struct
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


def what_a_library_prints_is_not_in_the_output():
    with tempfile.TemporaryDirectory() as folder:
        model = write_chain(folder, ("ext_talking", {}))
        result = subprocess.run([COMMAND, "run", model, "--plugin", library("operators_7"),
                                 "--allow-writable", "--shape", "x=2", "--json"],
                                capture_output=True, text=True, check=False)
        assert result.returncode == 0 and "Info: it runs" in result.stderr, result
        assert json.loads(result.stdout)["outputs"][0]["data"] == [0, 0], result


def random_numbers_follow_from_the_seed():
    with tempfile.TemporaryDirectory() as folder:
        model = write_chain(folder, ("ext_noise", {}))
        drawn = [tenon("run", model, "--plugin", library("operators_11"), "--shape", "x=2",
                       "--seed", seed)[1] for seed in ("7", "7", "8")]
        assert drawn[0] == drawn[1] != drawn[2], drawn
        code, text = tenon("run", model, "--seed", "x")
        assert code == 2 and "--seed x: expected a number" in text, text


def write_floats(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}f", *values))


def a_state_that_an_operator_changes_is_given():
    with tempfile.TemporaryDirectory() as folder:
        model, begin = os.path.join(folder, "m-symbol.json"), os.path.join(folder, "begin.npy")
        nodes = [{"op": "null", "name": "x", "inputs": []},
                 {"op": "null", "name": "sum", "inputs": []},
                 {"op": "ext_accumulate", "name": "y", "inputs": [[0, 0, 0], [1, 0, 0]]}]
        with open(model, "w", encoding="utf-8") as file:
            json.dump({"nodes": nodes, "arg_nodes": [0, 1], "heads": [[2, 0, 0]],
                       "attrs": {"mxnet_version": ["int", 10900]}}, file)
        write_floats(begin, [3, 4])
        code, text = tenon("run", model, "--plugin", library("operators_10"), "--shape", "x=2",
                           "--input", "sum=" + begin)
        assert code == 0 and "y_output: float32 (2) [3, 4]" in text, text


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
         running, what_a_library_prints_is_not_in_the_output,
         random_numbers_follow_from_the_seed, a_state_that_an_operator_changes_is_given,
         partitioning_sees_the_nodes_of_the_model,
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
