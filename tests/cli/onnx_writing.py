#!/usr/bin/env python3
"""Models that are written as ONNX: each operator with a mapping means the same when it is read
again, and Debian's onnx.checker accepts it."""

import json
import os
import re
import subprocess

from trial import F32, SOURCE, Skip, expect, npy, run_all

PYTHON = "/usr/bin/python3"
CHECK = "import onnx, sys; onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)"

SHAPES = {"x": [2, 4, 6, 6], "y": [2, 4, 6, 6], "small": [2, 4, 3, 3], "c": [4], "d": [4], "e": [4],
          "v": [4], "row": [1, 4, 1, 6], "m": [3, 5], "w": [4, 4, 3, 3], "t": [4, 2, 2, 2],
          "last": [6], "table": [5, 2], "index": [3], "fc": [7, 144], "bias": [7], "vector": [7, 6],
          "slope": [4]}
ROW = ("_Div", "_Mul", "_add", "_div", "_minus", "_mul", "_plus", "_sub", "_maximum", "_minimum",
       "elemwise_add", "elemwise_div", "elemwise_mul", "elemwise_sub")
STRETCHED = ("broadcast_add", "broadcast_div", "broadcast_mul", "broadcast_sub",
             "broadcast_maximum", "broadcast_minimum", "broadcast_power")
WITH_SCALAR = ("_div_scalar", "_minus_scalar", "_mul_scalar", "_plus_scalar", "_power_scalar",
               "_rdiv_scalar", "_rminus_scalar")
OF_ONE = ("BlockGrad", "Dropout", "Flatten", "_copy", "abs", "arccos", "arcsin", "arctan", "ceil",
          "cos", "erf", "exp", "flatten", "floor", "identity", "log", "negative", "reciprocal",
          "relu", "sigmoid", "sin", "softsign", "sqrt", "square", "stop_gradient", "tan", "tanh")

# (operator, inputs, attributes)
CASES = (
    [(op, "x y", {}) for op in ROW] + [(op, "x row", {}) for op in STRETCHED] +
    [(op, "x", {"scalar": "1.5"}) for op in WITH_SCALAR] + [(op, "x", {}) for op in OF_ONE] +
    [("Activation", "x", {"act_type": kind})
     for kind in ("relu", "sigmoid", "tanh", "softrelu", "softsign")] +
    [("LeakyReLU", "x", {"act_type": kind}) for kind in ("leaky", "elu", "selu")] +
    [(op, "x", {"axis": axis, "keepdims": keep}) for op in ("max", "mean", "min", "prod", "sum")
     for axis, keep in (("1", "False"), ("(0, 2)", "True"), ("()", "False"))] +
    [("Pooling", "x", {"kernel": "(2, 3)", "stride": "(2, 1)", "pad": "(1, 1)", "pool_type": kind,
                       "count_include_pad": "False"}) for kind in ("max", "avg")] + [
        ("Pooling", "x", {"global_pool": "True", "pool_type": "avg", "kernel": "(1, 1)"}),
        ("BatchNorm", "x c d e v", {"fix_gamma": "False", "eps": "1e-4"}),
        ("BatchNorm", "x c d e v", {}),
        ("Cast", "x", {"dtype": "int32"}),
        ("Concat", "x y", {"dim": "1", "num_args": "2"}),
        ("concat", "x y", {"dim": "-1", "num_args": "2"}),
        ("Convolution", "x w c", {"kernel": "(3, 3)", "num_filter": "4", "pad": "(1, 0)",
                                  "stride": "(2, 1)"}),
        ("Convolution", "x t", {"kernel": "(2, 2)", "num_filter": "4", "num_group": "2",
                                "no_bias": "True", "dilate": "(2, 2)"}),
        ("Deconvolution", "x t", {"kernel": "(2, 2)", "num_filter": "2", "stride": "(2, 2)",
                                  "adj": "(1, 0)", "no_bias": "True"}),
        ("Crop", "x small", {"num_args": "2", "offset": "(1, 2)"}),
        ("Crop", "x small", {"num_args": "2", "center_crop": "True"}),
        ("Crop", "x", {"num_args": "1", "h_w": "(2, 5)", "offset": "(3, 0)"}),
        ("Embedding", "index table", {"input_dim": "5", "output_dim": "2"}),
        ("FullyConnected", "x fc bias", {"num_hidden": "7"}),
        ("FullyConnected", "x vector", {"num_hidden": "7", "no_bias": "True", "flatten": "False"}),
        ("InstanceNorm", "x c d", {"eps": "0.01"}),
        ("LRN", "x", {"nsize": "3", "alpha": "0.1"}),
        ("LayerNorm", "x last last", {"eps": "0.01"}),
        ("LeakyReLU", "x slope", {"act_type": "prelu"}),
        ("Pad", "x", {"mode": "constant", "pad_width": "(0, 0, 0, 0, 1, 2, 3, 0)",
                      "constant_value": "2"}),
        ("pad", "x", {"mode": "reflect", "pad_width": "(0, 0, 0, 0, 1, 2, 2, 1)"}),
        ("Reshape", "x", {"shape": "(0, -1, 4)"}), ("reshape", "x", {"shape": "(8, 36)"}),
        ("SliceChannel", "x", {"num_outputs": "2", "axis": "2"}),
        ("split", "x", {"num_outputs": "4", "axis": "1", "squeeze_axis": "True"}),
        ("Softmax", "m", {}), ("SoftmaxOutput", "m", {}),
        ("SoftmaxActivation", "x", {"mode": "channel"}), ("SoftmaxActivation", "m", {}),
        ("UpSampling", "small", {"scale": "2", "sample_type": "nearest", "num_args": "1"}),
        ("WarpCTC", "m", {"label_length": "1", "input_length": "1"}),
        ("add_n", "x y", {"num_args": "2"}),
        ("clip", "x", {"a_min": "0.3", "a_max": "0.5"}),
        ("expand_dims", "x", {"axis": "1"}),
        ("log_softmax", "x", {"axis": "1"}), ("softmax", "x", {}),
        ("slice_axis", "x", {"axis": "2", "begin": "1", "end": "-1"}),
        ("slice_axis", "x", {"axis": "-1", "begin": "2", "end": "None"}),
        ("transpose", "x", {"axes": "(1, 0, 3, 2)"}), ("transpose", "m", {}),
    ])


def values(name):
    """Numbers between 0 and 1, all different; indices reach beyond the table."""
    if name == "index":
        return [0, 3.5, 9]
    count = 1
    for extent in SHAPES[name]:
        count *= extent
    start = sum(map(ord, name)) % 17
    return [0.05 + 0.9 * ((start + 7 * i) % 101) / 101 for i in range(count)]


def network():
    """One node for each case, all of them outputs."""
    nodes = [{"name": name, "dtype": "float32", "shape": shape} for name, shape in SHAPES.items()]
    numbers = {node["name"]: i for i, node in enumerate(nodes)}
    outputs = []
    for op, inputs, attributes in CASES:
        words = inputs.split()[:int(attributes.get("num_args", 9))]
        given = [[numbers[word], 0] for word in words]
        if op in ("SoftmaxOutput", "Softmax", "WarpCTC"):
            nodes.append({"name": f"label{len(nodes)}"})
            given.append([len(nodes) - 1, 0])
        nodes.append({"name": f"n{len(outputs)}.{op}", "op": op, "attributes": attributes,
                      "inputs": given})
        outputs.append([len(nodes) - 1, 0])
    return json.dumps({"tenon": 1, "nodes": nodes, "outputs": outputs})


def has_checker():
    return os.path.exists(PYTHON) and subprocess.run(
        [PYTHON, "-c", "import onnx"], cwd="/", capture_output=True, check=False).returncode == 0


def accept(trial, name):
    """Debian's checker says nothing against the file."""
    if not has_checker():
        raise Skip("python3-onnx is not installed")
    result = subprocess.run([PYTHON, "-c", CHECK, trial.path(name)], cwd="/", text=True,
                            capture_output=True, check=False)
    expect(result.returncode == 0, result.stderr)


def every_operator_means_the_same(trial):
    trial.write("m.json", network())
    words = []
    for name, shape in SHAPES.items():
        trial.write(name + ".npy", npy(F32, tuple(shape), values(name)))
        words += ["--input", f"{name}={name}.npy"]
    trial.good("convert", "m.json", "m.onnx")
    wanted = trial.json("run", "m.json", "--json", *words)["outputs"]
    found = trial.json("run", "m.onnx", "--json", *words)["outputs"]
    expect(len(wanted) == len(found) == len(CASES), f"{len(found)} outputs")
    for case, left, right in zip(CASES, wanted, found):
        expect(left["name"] == right["name"], f"{case}: {left['name']}, not {right['name']}")
        expect(left["shape"] == right["shape"] and
               all(abs(a - b) <= 1e-5 + 1e-4 * abs(a) for a, b in zip(left["data"], right["data"])),
               f"{case}: {right['shape']} {right['data'][:5]}, expected {left['data'][:5]}")
    accept(trial, "m.onnx")


def every_rule_has_a_case(_):
    with open(os.path.join(SOURCE, "plugins", "format-onnx", "write_rules.c"),
              encoding="utf-8") as file:
        rules = set(re.findall(r'^    \{"(\w+)", write_', file.read(), re.MULTILINE))
    missing = rules - {op for op, _, _ in CASES}
    expect(len(rules) > 80 and not missing, f"of {len(rules)} rules without a case: {missing}")


def names_of_outputs(trial):
    """Those of the graph; the same value twice is there under two names; an input keeps its own."""
    trial.write("m.json", '{"tenon":1,"nodes":[{"name":"x","dtype":"float32","shape":[2]},'
                          '{"name":"r","op":"relu","inputs":[[0,0]]}],'
                          '"outputs":[[1,0],[1,0],[0,0]],"output_names":["first","second",null]}')
    trial.write("x.npy", npy(F32, (2,), [-1, 2]))
    trial.good("convert", "m.json", "m.onnx")
    outputs = trial.json("run", "m.onnx", "--input", "x=x.npy", "--json")["outputs"]
    expect([output["data"] for output in outputs] == [[0, 2], [0, 2], [-1, 2]], str(outputs))
    names = [output["name"] for output in outputs]
    wanted = [o["name"] for o in trial.json("run", "m.json", "--input", "x=x.npy",
                                            "--json")["outputs"]]
    expect(names[0] == wanted[0] and len(set(names)) == 3, f"{names}, {wanted}")
    accept(trial, "m.onnx")


def shapes_that_nobody_says(trial):
    """ONNX must say how many axes an input has: a layer tells, or the user."""
    trial.write("m.json", '{"tenon":1,"nodes":[{"name":"x"},{"name":"s","op":"_plus_scalar",'
                          '"attributes":{"scalar":"1"},"inputs":[[0,0]]}],"outputs":[[1,0]]}')
    trial.refused(1, "how many axes it has", "convert", "m.json", "m.onnx")
    trial.good("convert", "m.json", "m.onnx", "--shape", "x=2,3")
    accept(trial, "m.onnx")
    trial.refused(2, "no input z", "convert", "m.json", "m.onnx", "--shape", "z=2")
    trial.refused(2, "does not apply", "convert", "--tensors", "x.npy", "y.npz", "--shape", "x=2")


run_all(every_operator_means_the_same, every_rule_has_a_case, names_of_outputs,
        shapes_that_nobody_says)
