#!/usr/bin/env python3
"""Files of tensors as inputs, as outputs, and converted."""

import json
import math
import struct

from trial import F32, F64, I32, I64, expect, idx, npy, npz, run_all, scale_model


def same_model():
    return json.dumps({"nodes": [{"op": "null", "name": "data", "inputs": []},
                                 {"op": "_copy", "name": "same", "inputs": [[0, 0, 0]]}],
                       "arg_nodes": [0], "heads": [[1, 0, 0]]})


def shown(trial, name, *more):
    """The tensor in a file, through a model that changes nothing."""
    trial.write("same-symbol.json", same_model())
    return trial.json("run", "same-symbol.json", "--input", "data=" + name, "--json",
                      *more)["outputs"][0]


def inputs_of_every_format(trial):
    trial.write("x.npy", npy(F64, (2,), [0.1, -2]))
    expect(shown(trial, "x.npy") == {"name": "same_output", "dtype": "float64", "shape": [2],
                                     "data": [0.1, -2]}, "npy")
    trial.write("digits-idx1-ubyte", idx((3,), [7, 0, 255]))
    expect(shown(trial, "digits-idx1-ubyte")["data"] == [7, 0, 255], "idx")
    npz(trial.path("x.npz"), {"only": npy(I32, (1,), [-5])})
    expect(shown(trial, "x.npz")["data"] == [-5], "npz")


def one_of_several(trial):
    """FILE#NAME chooses; without a name the file must hold one."""
    npz(trial.path("x.npz"), {"a": npy(F32, (1,), [1]), "b": npy(F32, (1,), [2])})
    trial.write("same-symbol.json", same_model())
    expect(shown(trial, "x.npz#b")["data"] == [2], "another entry")
    run = ("run", "same-symbol.json", "--input")
    trial.refused(1, "holds 2 tensors: choose one with FILE#NAME", *run, "data=x.npz")
    trial.refused(1, "no tensor named c", *run, "data=x.npz#c")


def inputs_are_cast(trial):
    """Bytes go into a model that computes with floats."""
    trial.write("digits-idx1-ubyte", idx((3,), [7, 0, 255]))
    trial.write("m-symbol.json", json.dumps({
        "nodes": [{"op": "null", "name": "data", "inputs": [], "attrs": {"__dtype__": "0"}},
                  {"op": "_mul_scalar", "name": "half", "attrs": {"scalar": "0.5"},
                   "inputs": [[0, 0, 0]]}], "arg_nodes": [0], "heads": [[1, 0, 0]]}))
    output = trial.json("run", "m-symbol.json", "--input", "data=digits-idx1-ubyte", "--json")
    expect(output["outputs"][0]["data"] == [3.5, 0, 127.5], str(output))


def large_integers_are_exact(trial):
    """No detour through floating point for what a double cannot hold."""
    values = [2**53 + 1, -2**63, 2**63 - 1]
    trial.write("x.npy", npy(I64, (3,), values))
    expect(shown(trial, "x.npy")["data"] == values, str(shown(trial, "x.npy")["data"]))


def what_is_not_finite_is_a_text(trial):
    trial.write("x.npy", npy(F32, (3,), [math.nan, math.inf, -math.inf]))
    expect(shown(trial, "x.npy")["data"] == ["nan", "inf", "-inf"], "another form")


def outputs_to_files(trial):
    """An output file holds the output's bytes; nothing is printed then."""
    trial.write("m-symbol.json", scale_model("3"))
    trial.write("x.npy", npy(F32, (2,), [1, -0.5]))
    run = ("run", "m-symbol.json", "--input", "data=x.npy", "--output")
    expect(trial.good(*run, "scale_output=y.npy") == "", "something was printed")
    with open(trial.path("y.npy"), "rb") as file:
        expect(file.read().endswith(struct.pack("<2f", 3, -1.5)), "other bytes")
    for name in ("y.npz", "y.params", "y.nd"):
        trial.good(*run, "scale_output=" + name)
        expect(shown(trial, name)["data"] == [3, -1.5], name)


def conversions(trial):
    """A list of tensors through three formats keeps names, types and bits."""
    npz(trial.path("a.npz"), {"arg:w": npy(F32, (2, 1), [math.pi, math.nan]),
                              "aux:m": npy(I64, (2,), [2**62 + 1, -1]),
                              "none": npy(F32, (0, 3), [])})
    trial.good("convert", "--tensors", "a.npz", "b.params")
    trial.good("convert", "--tensors", "b.params", "c.npz")
    trial.good("convert", "--tensors", "a.npz", "d.npz")
    with open(trial.path("c.npz"), "rb") as one, open(trial.path("d.npz"), "rb") as two:
        expect(one.read() == two.read(), "the way through .params changed something")
    expect(shown(trial, "c.npz#aux:m")["shape"] == [2], "another shape")


def conversions_that_cannot_be(trial):
    npz(trial.path("a.npz"), {"a": npy(F32, (1,), [1]), "b": npy(F32, (1,), [2])})
    trial.refused(1, "one array", "convert", "--tensors", "a.npz", "b.npy")
    trial.refused(1, "loaded formats that write tensors", "convert", "--tensors", "a.npz", "b.txt")
    trial.refused(1, "No such file", "convert", "--tensors", "gone.npz", "b.npz")
    trial.refused(1, "there is no format 'scroll'", "convert", "--tensors", "a.npz", "b", "--to",
                  "scroll")


def options_for_models_are_refused(trial):
    """What applies only to models is not ignored for a file of tensors."""
    trial.write("x.npy", npy(F32, (1,), [1]))
    for option in ("--format=png", "--format-option=epoch=1", "--pass=remove-identity",
                   "--optimize=1"):
        trial.refused(2, option.replace("=", " ", 1) + " does not apply", "convert", "--tensors",
                      "x.npy", "y.npz", option)


def hash_in_a_file_name(trial):
    """A file that has the whole text as its name is that file."""
    trial.write("x#1.npy", npy(F32, (1,), [3]))
    expect(shown(trial, "x#1.npy")["data"] == [3], "another tensor")


def pictures(trial):
    """A picture comes back from a PNG as it went in."""
    trial.write("p.npy", npy(("|u1", "B"), (2, 2, 3), list(range(0, 240, 20))))
    trial.good("convert", "--tensors", "p.npy", "p.png")
    output = shown(trial, "p.png")
    expect(output["shape"] == [2, 2, 3] and output["data"] == list(range(0, 240, 20)), str(output))


run_all(inputs_of_every_format, one_of_several, inputs_are_cast, large_integers_are_exact,
        what_is_not_finite_is_a_text, outputs_to_files, conversions, conversions_that_cannot_be,
        options_for_models_are_refused, hash_in_a_file_name, pictures)
