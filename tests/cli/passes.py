#!/usr/bin/env python3
"""Passes on the command line: listed, tried, put to use, and refused."""

import json
import re

from trial import DEMO, expect, run_all

GRAPH = json.dumps({
    "tenon": 1,
    "nodes": [{"name": "x", "dtype": "float32", "shape": [3]},
              {"name": "numbers", "op": "_arange", "attributes": {"stop": "3", "start": "0"},
               "inputs": []},
              {"name": "squares", "op": "square", "inputs": [[1, 0]]},
              {"name": "same", "op": "_copy", "inputs": [[0, 0]]},
              {"name": "y", "op": "elemwise_add", "inputs": [[3, 0], [2, 0]]}],
    "outputs": [[4, 0]]})


def lists(trial):
    """As text and as JSON the passes are the same."""
    names = re.findall(r"^(\S+)", trial.good("pass", "list"), re.M)
    expect("fold-constants" in names, str(names))
    listed = trial.json("pass", "list", "--json")
    expect([entry["name"] for entry in listed] == names, "the JSON has others")
    options = {entry["name"]: entry["options"] for entry in listed}
    expect(options["fold-constants"][0]["name"] == "limit", str(options["fold-constants"]))


def shows_what_each_did(trial):
    trial.write("g.json", GRAPH)
    out = trial.good("graph", "g.json", "--pass", "remove-identity", "--pass", "fold-constants",
                     "--pass", "fold-constants", "--diff")
    expect("pass remove-identity:\n- same = _copy(x)\n" in out, out)
    expect("+ squares_folded = parameter float32 (3)\n" in out, out)
    expect(out.endswith("pass fold-constants: nothing to change\n"), out)
    expect("squares_folded" not in trial.good("graph", "g.json"), "changed without being asked")


def obeys_a_limit(trial):
    trial.write("g.json", GRAPH)
    out = trial.good("graph", "g.json", "--pass", "fold-constants:limit=2", "--diff")
    expect(out == "pass fold-constants: nothing to change\n", out)


def runs_the_same(trial):
    trial.write("g.json", GRAPH)
    trial.write("set.json", json.dumps({"passes": ["remove-identity", {
        "name": "fold-constants", "options": {"limit": 10}}]}))
    plain = trial.good("run", "g.json", "--shape", "x=3")
    for level in ("0", "1", "2", "set.json"):
        out = trial.good("run", "g.json", "--shape", "x=3", "--optimize", level)
        expect(out == plain, f"--optimize {level}: {out}")


def converts_to_less(trial):
    trial.good("convert", DEMO, "quick.json", "--optimize", "2")
    before, after = trial.good("graph", DEMO), trial.good("graph", "quick.json")
    expect("BatchNorm" in before and "BatchNorm" not in after, after)


def is_refused(trial):
    trial.write("g.json", GRAPH)
    trial.write("bad.json", '{"passes": ["dance"]}')
    trial.refused(1, "no plugin offers the pass dance", "graph", "g.json", "--pass", "dance")
    trial.refused(1, "attribute colour", "graph", "g.json", "--pass", "fold-constants:colour=red")
    trial.refused(1, "bad.json: pass 0: ", "run", "g.json", "--shape", "x=3", "--optimize",
                  "bad.json")
    trial.refused(1, "no-such-file", "graph", "g.json", "--optimize", "no-such-file")
    trial.refused(2, "expected `tenon pass list`", "pass")
    trial.refused(2, "expected `tenon pass list`", "pass", "dance")


run_all(lists, shows_what_each_did, obeys_a_limit, runs_the_same, converts_to_less, is_refused)
