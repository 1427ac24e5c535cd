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


def cast_model(stype, storage="0"):
    """A variable of a storage, stored another way."""
    return json.dumps({
        "nodes": [{"op": "null", "name": "data", "inputs": [],
                   "attrs": {"__storage_type__": storage}},
                  {"op": "cast_storage", "name": "cast", "attrs": {"stype": stype},
                   "inputs": [[0, 0, 0]]}], "arg_nodes": [0], "heads": [[1, 0, 0]]})


def sparse_tensors(trial):
    """They are printed, written and read as they are stored, and made where a model wants them."""
    trial.write("x.npy", npy(F32, (2, 3), [0, 0, 5, 7, 0, 0]))
    trial.write("csr-symbol.json", cast_model("csr"))
    trial.write("rows-symbol.json", cast_model("row_sparse"))
    run = ("run", "csr-symbol.json", "--input", "data=x.npy")
    printed = trial.good(*run)
    expect("cast_output: csr float32 (2,3) [(0,2) 5, (1,0) 7]" in printed, printed)
    output = trial.json(*run, "--json")["outputs"][0]
    expect(output == {"name": "cast_output", "dtype": "float32", "shape": [2, 3], "storage": "csr",
                      "indices": [2, 0], "row_starts": [0, 1, 2], "data": [5, 7]}, str(output))
    printed = trial.good("run", "rows-symbol.json", "--input", "data=x.npy")
    expect("row_sparse float32 (2,3) [0: 0, 0, 5; 1: 7, 0, 0]" in printed, printed)
    trial.good(*run, "--output", "cast_output=y.params")
    expect(shown(trial, "y.params")["storage"] == "csr", "it is dense now")
    trial.good("convert", "--tensors", "y.params", "z.params")
    with open(trial.path("y.params"), "rb") as one, open(trial.path("z.params"), "rb") as two:
        expect(one.read() == two.read(), "the way through the tool changed something")
    for name in ("y.npz", "again.npz"):
        trial.good("convert", "--tensors", "y.params", name)
        expect(shown(trial, name)["indices"] == [2, 0], name)
    trial.refused(1, "format 'npy' has no csr tensors", "convert", "--tensors", "y.params", "y.npy")
    trial.write("wants-symbol.json", cast_model("default", "2"))
    printed = trial.good("run", "wants-symbol.json", "--input", "data=x.npy")
    expect("cast_output: float32 (2,3) [0, 0, 5, 7, 0, 0]" in printed, printed)


def npy_text(value):
    header = "{'descr': '|S%d', 'fortran_order': False, 'shape': (), }" % len(value)
    header = header.ljust(117) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() + value


def scipy_parts(indices=(2, 0), indptr=(0, 1, 2), kind=b"csr", shape=(2, 3), prefix=""):
    """What scipy.sparse.save_npz writes of [[0, 0, 5], [7, 0, 0]]."""
    return {prefix + "indices": npy(I32, (len(indices),), list(indices)),
            prefix + "indptr": npy(I32, (len(indptr),), list(indptr)),
            prefix + "format": npy_text(kind),
            prefix + "shape": npy(I64, (len(shape),), list(shape)),
            prefix + "data": npy(F32, (2,), [5, 7])}


def scipy_matrices(trial):
    """A file of scipy.sparse.save_npz is a csr tensor; what is wrong with one is said."""
    npz(trial.path("x.npz"), scipy_parts())
    output = shown(trial, "x.npz")
    expect(output["storage"] == "csr" and output["row_starts"] == [0, 1, 2] and
           output["data"] == [5, 7], str(output))
    trial.good("convert", "--tensors", "x.npz", "y.npz")
    expect(shown(trial, "y.npz") == output, "another tensor")
    run = ("run", "same-symbol.json", "--input", "data=bad.npz")
    for changed, words in (({"indices": (3, 0)}, "index 0 of a csr tensor is 3"),
                           ({"indices": (-1, 0)}, "index 0 of a csr tensor is -1"),
                           ({"indptr": (0, 3, 2)}, "row start 1 of a csr tensor is 3"),
                           ({"indptr": (0, 2)}, "do not fit together"),
                           ({"indices": (2, 0, 1)}, "do not fit together"),
                           ({"shape": (2, 3, 1)}, "do not fit together"),
                           ({"shape": (2**62, 3)}, "do not fit together"),
                           ({"shape": (-2, 3)}, "do not fit together"),
                           ({"kind": b"coo"}, "has the format 'coo': expected 'csr'")):
        npz(trial.path("bad.npz"), scipy_parts(**changed))
        trial.refused(1, words, *run)
    lacking = scipy_parts()
    del lacking["indptr"]
    npz(trial.path("bad.npz"), lacking)
    trial.refused(1, "has no array 'indptr'", *run)


def sparse_parameters(trial):
    """A model with a sparse parameter goes through Tenon's own JSON."""
    trial.write("x.npy", npy(F32, (2, 3), [0, 0, 5, 7, 0, 0]))
    npz(trial.path("p.npz"), scipy_parts(prefix="w/"))
    trial.write("m.json", json.dumps({
        "tenon": 1, "parameters": "p.npz", "nodes": [
            {"name": "x"}, {"name": "w", "storage": "csr"},
            {"name": "sum", "op": "broadcast_add", "inputs": [[0, 0], [1, 0]]}],
        "outputs": [[2, 0]]}))
    output = trial.json("run", "m.json", "--input", "x=x.npy", "--json")["outputs"][0]
    expect(output["data"] == [0, 0, 10, 14, 0, 0], str(output))
    trial.good("convert", "m.json", "n.json")
    with open(trial.path("n.npz"), "rb") as file:
        expect(b"w/indptr.npy" in file.read(), "another name")
    output = trial.json("run", "n.json", "--input", "x=x.npy", "--json")["outputs"][0]
    expect(output["data"] == [0, 0, 10, 14, 0, 0], "after it was written: " + str(output))
    with open(trial.path("n.json"), encoding="utf-8") as file:
        expect('"storage":"csr"' in file.read(), "the storage is not declared")


def pictures(trial):
    """A picture comes back from a PNG as it went in."""
    trial.write("p.npy", npy(("|u1", "B"), (2, 2, 3), list(range(0, 240, 20))))
    trial.good("convert", "--tensors", "p.npy", "p.png")
    output = shown(trial, "p.png")
    expect(output["shape"] == [2, 2, 3] and output["data"] == list(range(0, 240, 20)), str(output))


run_all(inputs_of_every_format, one_of_several, inputs_are_cast, large_integers_are_exact,
        what_is_not_finite_is_a_text, outputs_to_files, conversions, conversions_that_cannot_be,
        options_for_models_are_refused, hash_in_a_file_name,
        sparse_tensors, scipy_matrices, sparse_parameters, pictures)
