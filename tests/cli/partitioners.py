#!/usr/bin/env python3
"""Partitioners on the command line: listed, run, drawn, refused."""

import json
import re

from trial import F32, Skip, expect, npy, run_all

MODEL = {"tenon": 1, "nodes": [
    {"name": "x"},
    {"name": "a", "op": "relu", "inputs": [[0, 0]]},
    {"name": "u", "op": "tanh", "inputs": [[1, 0]]},
    {"name": "b", "op": "negative", "inputs": [[2, 0]]},
    {"name": "c", "op": "relu", "inputs": [[3, 0]]},
    {"name": "s", "op": "elemwise_add", "inputs": [[4, 0], [1, 0]]},
], "outputs": [[5, 0]]}
TAKE = "oplist:ops=relu|negative"


def listed(trial):
    """As text and as JSON the partitioners are the same."""
    names = re.findall(r"^(\S+)", trial.good("partitioner", "list"), re.M)
    expect({"device", "oplist"} <= set(names), names)
    expect([entry["name"] for entry in trial.json("partitioner", "list", "--json")] == names, names)


def shown(trial):
    """What was taken is shown as one node, drawn as a cluster, and listed by --diff."""
    trial.write("g.json", json.dumps(MODEL))
    out = trial.good("graph", "g.json", "--shape", "x=2", "--partition", TAKE)
    expect(len(re.findall(r"^oplist\d +subgraph ", out, re.M)) == 2, out)
    expect("outputs: s_output" in out, out)
    out = trial.good("graph", "g.json", "--partition", TAKE, "--dot")
    expect(out.count("subgraph \"cluster_") == 2 and out.count("fillcolor=\"#cfe8cf\"") == 1, out)
    expect(re.search(r"n\d+_2 -> n\d ", out), out)
    out = trial.good("graph", "g.json", "--partition", TAKE + ",min_nodes=2", "--diff")
    expect("+ oplist0 = subgraph(" in out and "- b = negative(" in out, out)
    out = trial.good("graph", "g.json", "--partition", TAKE + ",min_nodes=9", "--diff")
    expect(out == "partitioner oplist: nothing to take\n", out)


def run(trial):
    """A model runs with the same numbers, whole and in parts."""
    trial.write("g.json", json.dumps(MODEL))
    plain = trial.good("run", "g.json", "--shape", "x=2,3")
    expect(trial.good("run", "g.json", "--shape", "x=2,3", "--partition", TAKE) == plain, plain)
    expect(trial.good("run", "g.json", "--shape", "x=2,3", "--partition",
                      "device:device=cpu,always=True") == plain, plain)


def on_vulkan(trial):
    """A Vulkan device gets what saves more than its copies cost, and gives the same numbers."""
    if not any(one["backend"] == "vulkan" and one["devices"]
               for one in trial.json("devices", "--json")):
        raise Skip("there is no Vulkan device")
    typed = {**MODEL, "nodes": [{"name": "x", "dtype": "float32"}, *MODEL["nodes"][1:]]}
    trial.write("g.json", json.dumps(typed))
    trial.write("x.npy", npy(F32, (2, 3), (-1.5, 0.25, 1, -0.5, 3, 0)))
    words = ("g.json", "--input", "x=x.npy", "--json")
    plain = trial.json("run", *words)["outputs"][0]["data"]
    for given in ("always=True", "latency=0,bandwidth=1e9,cpu_gflops=1e-9"):
        part = "device:device=vulkan," + given
        found = trial.json("run", *words, "--partition", part)["outputs"][0]["data"]
        expect(all(abs(one - other) < 1e-5 for one, other in zip(found, plain, strict=True)),
               (given, found, plain))
        out = trial.good("graph", "g.json", "--shape", "x=2,3", "--partition", part)
        expect(len(re.findall(r"^device0 +subgraph ", out, re.M)) == 1, out)
    out = trial.good("graph", "g.json", "--shape", "x=2,3", "--partition",
                     "device:device=vulkan,latency=1e6", "--diff")
    expect(out == "partitioner device: nothing to take\n", out)


def refused(trial):
    """What is wrong is said before anything runs."""
    trial.write("g.json", json.dumps(MODEL))
    trial.refused(1, "no plugin offers the partitioner dance", "graph", "g.json", "--partition",
                  "dance")
    trial.refused(1, "attribute ops", "graph", "g.json", "--partition", "oplist")
    trial.refused(2, "expected `tenon partitioner list`", "partitioner")


run_all(listed, shown, run, on_vulkan, refused)
