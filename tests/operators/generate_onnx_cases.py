#!/usr/bin/env python3
"""Cases for the operators named onnx.*, and for what others have in addition to MXNet's for ONNX
(NAME.onnx.json): inputs of its own, outputs from ONNX Runtime, or from ONNX's own reference where
that has no such operator.

    generate_onnx_cases.py [--only Operator ...]

README.md tells the format of the files and how to install what this needs.
"""

import argparse
import json
import os

import numpy as np
import onnx
import onnx.reference
import onnxruntime
from onnx import helper

CASES = os.environ.get("CASES_DIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                                    "cases")
OPSET = 18
NEWER = {"DeformConv": 19, "CausalConvWithState": 27, "LinearAttention": 27}
NAN, INF = float("nan"), float("inf")


def number(value):
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return int(value)
    value = float(value)
    if value != value:
        return "nan"
    return value if abs(value) != INF else ("inf" if value > 0 else "-inf")


def tensor(array):
    array = np.asarray(array)
    return {"dtype": str(array.dtype), "shape": list(array.shape),
            "data": [number(x) for x in array.ravel()]}


def text(value):
    """An attribute as a node of a graph holds it."""
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], str):
            return "|".join(value)
        return "(" + "".join(f"{x!r}," for x in value) + ")"
    return str(value)


def run(op, inputs, attributes, output_count):
    names = [f"i{k}" if x is not None else "" for k, x in enumerate(inputs)]
    while not names[-1]:  # ONNX Runtime stumbles over absent inputs at the end
        names.pop()
    outputs = [f"o{k}" for k in range(output_count)]
    node = helper.make_node(op, names, outputs, **attributes)
    given = {n: np.asarray(x) for n, x in zip(names, inputs) if n}
    graph = helper.make_graph(
        [node], "case",
        [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
         for n, x in given.items()],
        [onnx.ValueInfoProto(name=n) for n in outputs])
    version = NEWER.get(op, OPSET)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
    if version > 26:
        return onnx.reference.ReferenceEvaluator(model).run(None, given)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(None, given)


class Cases:
    def __init__(self):
        self.files = {}

    def entry(self, op, name, attributes, inputs, constants):
        entry = {"name": name, "attributes": {k: text(v) for k, v in attributes.items()},
                 "inputs": [None if x is None else tensor(x) for x in inputs]}
        if constants:
            entry["constants"] = list(constants)
        self.files.setdefault(op, []).append(entry)
        return entry

    def add(self, op, name, inputs, constants=(), outputs=1, exact=False, extra=None, **attributes):
        """`extra` are attributes that Tenon's operator has besides."""
        results = run(op, inputs, attributes, outputs)
        entry = self.entry(op, name, {**attributes, **(extra or {})}, inputs, constants)
        floating = results[0].dtype.kind == "f"
        half = results[0].dtype == np.float16
        entry.update(outputs=[tensor(x) for x in results],
                     rtol=0 if exact or not floating else 2e-3 if half else 1e-5,
                     atol=0 if exact or not floating else 1e-3 if half else 1e-6)

    def half(self, op, name, inputs, outputs=1, **attributes):
        """float16, from what float32 gives."""
        halves = [x if x is None or x.dtype.kind != "f" else x.astype(np.float16) for x in inputs]
        wide = [x if x is None or x.dtype.kind != "f" else x.astype(np.float32) for x in halves]
        entry = self.entry(op, name, attributes, halves, ())
        entry.update(outputs=[tensor(x.astype(np.float16))
                              for x in run(op, wide, attributes, outputs)], rtol=2e-3, atol=1e-3)

    def fails(self, op, name, inputs, error, constants=(), **attributes):
        entry = self.entry(op, name, attributes, inputs, constants)
        entry["error"] = error
        if "beyond the" in name:  # an index or a length, which a device cannot refuse
            entry["errors_on"] = "cpu"

    def agrees(self, op, name, like, like_attributes, inputs, **attributes):
        """An operator of another name that gives what the ONNX operator `like` does."""
        entry = self.entry(f"{op}.onnx", name, attributes, inputs, ())
        exact = inputs[0].dtype.kind != "f"
        entry.update(outputs=[tensor(x) for x in run(like, inputs, like_attributes, 1)],
                     rtol=0 if exact else 1e-5, atol=0 if exact else 1e-5)

    def write(self, only):
        for key, entries in self.files.items():
            if only and key not in only:
                continue
            op = key[:-5] if key.endswith(".onnx") else f"onnx.{key}"
            name = key if key.endswith(".onnx") else op
            with open(os.path.join(CASES, f"{name}.json"), "w", encoding="utf-8") as file:
                lines = ",\n".join(json.dumps(x) for x in entries)
                file.write(f'{{"operator": "{op}", "cases": [\n{lines}\n]}}\n')


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def quantised(c, rng):
    x = np.array([[0.5, 1.5, 2.5, -0.5], [-1.5, 300, -300, 0]], np.float32)
    c.add("QuantizeLinear", "halves go to the even integer", [x, np.float32(1), np.uint8(10)])
    c.add("QuantizeLinear", "int8 for each row", [x, np.array([1, 2], np.float32),
                                                  np.array([0, 1], np.int8)], axis=0)
    c.add("QuantizeLinear", "no zero point", [x, np.float32(0.25), None])
    c.fails("QuantizeLinear", "scales that do not fit the axis",
            [x, np.ones(3, np.float32), np.zeros(3, np.uint8)], "scale", axis=0)
    c.add("DequantizeLinear", "int32 without a zero point",
          [np.array([1, -2, 2**24 + 1], np.int32), np.float32(0.5), None])
    c.add("DequantizeLinear", "uint8 for each column",
          [np.array([[0, 255, 7]], np.uint8), np.array([1, 2, 3], np.float32),
           np.array([0, 128, 7], np.uint8)], axis=1)
    c.add("DynamicQuantizeLinear", "all positive", [np.array([1, 2, 10], np.float32)], outputs=3)
    c.add("DynamicQuantizeLinear", "zeros", [np.zeros(4, np.float32)], outputs=3)
    a = rng.integers(0, 255, (2, 3, 5)).astype(np.uint8)
    b = rng.integers(-128, 127, (5, 4)).astype(np.int8)
    c.add("MatMulInteger", "a batch by a matrix", [a, b, np.uint8(12), None])
    x = rng.integers(0, 255, (1, 2, 5, 6)).astype(np.uint8)
    w = rng.integers(0, 255, (4, 1, 3, 2)).astype(np.uint8)
    c.add("ConvInteger", "groups, strides, uneven padding", [x, w, np.uint8(128), np.uint8(7)],
          group=2, strides=[2, 1], pads=[1, 0, 2, 1])
    c.add("QLinearConv", "a scale for each channel, with a bias",
          [x, np.float32(0.02), np.uint8(128), w, np.array([.1, .2, .3, .4], np.float32),
           np.array([3, 3, 3, 3], np.uint8), np.float32(0.5), np.uint8(100),
           np.array([10, -20, 30, -40], np.int32)], group=2)


def index(c, rng):
    x = np.array([[3, NAN, 1, 3], [INF, -INF, 0, 2]], np.float32)
    c.add("TopK", "equal elements", [np.array([2, 1, 2, 1, 2], np.float32), ints(3)], (1,),
          outputs=2, exact=True)
    c.add("TopK", "smallest along the first axis", [np.arange(6, dtype=np.int64).reshape(3, 2) % 4,
                                                    ints(2)], (1,), outputs=2, axis=0, largest=0)
    c.fails("TopK", "more than there are", [x, ints(5)], "K is 5", (1,))
    c.add("Gather", "negative indices, no elements", [floats(rng, 2, 0, 3), ints(-1, 0)], axis=0)
    c.add("Gather", "a scalar index", [floats(rng, 3, 4), np.int64(-2)], axis=1)
    c.fails("Gather", "an index beyond the axis", [floats(rng, 3), ints(3)], "index 3")
    c.fails("GatherElements", "an index beyond the axis", [floats(rng, 2, 2), np.full((1, 2), -3)],
            "index -3", axis=1)
    c.fails("GatherND", "too many coordinates", [floats(rng, 3), ints(0, 0)], "coordinates")
    c.add("ScatterElements", "two updates to one place",
          [np.zeros((2, 3), np.float32), np.array([[0, 0]]), np.array([[1, 2]], np.float32)],
          axis=1, reduction="add")
    c.fails("ScatterND", "a point beyond the data",
            [np.zeros((2, 2), np.float32), np.array([[2, 0]]), np.ones(1, np.float32)], "index 2")
    c.add("Slice", "steps backwards and far beyond",
          [floats(rng, 4, 5), ints(10, -1), ints(-10, 0), ints(1, 0), ints(-2, -1)], (1, 2, 3, 4))
    c.add("Slice", "nothing is left", [floats(rng, 4), ints(3), ints(1), None, None], (1, 2))
    c.fails("Slice", "a step of 0", [floats(rng, 4), ints(0), ints(1), ints(0), ints(0)], "step",
            (1, 2, 3, 4))
    c.fails("Slice", "an axis twice", [floats(rng, 4), ints(0, 0), ints(1, 1), ints(0, 0), None],
            "twice", (1, 2, 3))
    c.add("Pad", "some added, some taken", [floats(rng, 3, 4), ints(1, -1, 0, 2), np.float32(7),
                                                 None], (1,))
    c.add("Pad", "reflected", [np.arange(5, dtype=np.int32), ints(3, 2), None, None], (1,),
          mode="reflect")
    c.fails("Pad", "pads for another rank", [floats(rng, 3), ints(1, 1, 1, 1), None, None],
            "pads, expected 2", (1,))
    c.add("Tile", "0 times", [floats(rng, 2, 3), ints(2, 0)], (1,))
    c.add("Expand", "to its own shape and more", [floats(rng, 3, 1), ints(2, 1, 4)], (1,))
    c.fails("Expand", "extents that do not stretch", [floats(rng, 3), ints(2)], "stretch", (1,))
    c.add("Range", "downwards", [np.int32(5), np.int32(-2), np.int32(-3)], (0, 1, 2))
    c.add("Range", "of nothing", [np.float32(5), np.float32(1), np.float32(1)], (0, 1, 2))
    c.fails("Range", "without a step", [np.int64(0), np.int64(1), np.int64(0)], "no range",
            (0, 1, 2))
    c.add("OneHot", "indices from the end and beyond", [ints(-1, 0, 9), ints(3),
                                                       np.array([2, 5], np.float32)], (1,), axis=0)
    c.add("CumSum", "exclusive and backwards", [floats(rng, 2, 3), np.int32(-1)], exclusive=1,
          reverse=1)
    c.add("Trilu", "no rows", [floats(rng, 0, 3), np.int64(1)])
    c.add("ArgMax", "the last of equal ones", [np.array([[1, 3, 3], [2, 2, 1]], np.float32)],
          axis=-1, keepdims=0, select_last_index=1)
    c.add("Where", "all three are stretched", [np.array([[True], [False]]), floats(rng, 3),
                                               np.float32(9)])
    c.fails("Split", "parts that do not fit", [floats(rng, 5), ints(2, 2)], "covers 4", (1,),
            num_outputs=2)
    c.add("Split", "a smaller last part", [floats(rng, 2, 5), None], outputs=3, axis=1,
          num_outputs=3)
    c.fails("Squeeze", "an axis that is not 1", [floats(rng, 2, 1), ints(0)], "extent 2", (1,))
    c.add("Einsum", "a diagonal", [floats(rng, 3, 3)], equation="ii->i")
    c.add("Einsum", "an ellipsis and a sum", [floats(rng, 2, 3, 4), floats(rng, 4)],
          equation="...k,k->...")
    c.fails("Einsum", "a letter too many", [floats(rng, 2)], "not understood", equation="ij->i")


def arithmetic(c, rng):
    x = np.array([-7, 7, -7, 7], np.int32)
    y = np.array([3, -3, -3, 3], np.int32)
    c.add("Mod", "sign of the divisor", [x, y])
    c.add("Mod", "sign of the dividend", [x, y], fmod=1)
    c.add("Pow", "float to int", [np.array([2, 0.5, -1], np.float32), np.array([3, -2, 5])])
    c.add("Pow", "int to float", [np.array([2, 3, 4]), np.array([2, 3, 0.5], np.float32)])
    c.add("Equal", "NaN is not the same", [np.array([NAN, 1], np.float32),
                                           np.array([NAN, 1], np.float32)])
    c.add("BitShift", "left in uint8", [np.array([1, 128, 255], np.uint8),
                                        np.array([1, 1, 4], np.uint8)], direction="LEFT")
    c.fails("BitwiseAnd", "floats", [floats(rng, 2), floats(rng, 2)], "an integer is expected")
    c.add("IsInf", "one side", [np.array([INF, -INF, NAN, 1], np.float32)], detect_negative=0)
    c.add("Round", "halves", [np.array([0.5, 1.5, -0.5, -2.5, NAN], np.float32)])
    c.add("Softplus", "far out", [np.array([-200, 0, 200], np.float32)])
    c.add("Mish", "far out", [np.array([-200, 0, 200], np.float32)])
    for op in ("Elu", "Selu", "Celu", "LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Shrink"):
        c.add(op, "both sides", [np.array([-3, -0.4, 0, 0.4, 3], np.float32)])
    c.add("ReduceLogSumExp", "large numbers", [np.array([[1000, 1001]], np.float32), ints(1)], (1,))
    c.add("ReduceSum", "no axes, nothing to do", [floats(rng, 2, 2), ints()], (1,),
          noop_with_empty_axes=1)
    c.add("ReduceProd", "to a scalar", [np.arange(1, 5).astype(np.int32), None], keepdims=0)
    c.fails("ReduceMax", "an axis that is not there", [floats(rng, 2), ints(1)], "axis 1", (1,))
    c.add("Softmax", "an infinity", [np.array([[1, -INF, 2]], np.float32)], axis=-1)
    c.add("MatMul", "a vector by a batch", [floats(rng, 3), floats(rng, 2, 3, 4)])
    c.add("MatMul", "no terms", [floats(rng, 2, 0), floats(rng, 0, 3)])
    c.fails("MatMul", "sizes that do not fit", [floats(rng, 2, 3), floats(rng, 2, 3)], "rows of B")
    c.add("Gemm", "transposed, scaled, a column added", [floats(rng, 3, 2), floats(rng, 4, 3),
                                                         floats(rng, 2, 1)],
          transA=1, transB=1, alpha=0.5, beta=2.0)


def windows(c, rng):
    x = floats(rng, 1, 2, 7, 6)
    c.add("Conv", "uneven padding, dilated", [x, floats(rng, 3, 2, 2, 3), floats(rng, 3)],
          pads=[0, 1, 2, 0], dilations=[2, 1])
    c.add("Conv", "padding for the same size", [x, floats(rng, 2, 1, 2, 2), None], group=2,
          auto_pad="SAME_LOWER", strides=[2, 3])
    c.fails("Conv", "channels that do not fit", [x, floats(rng, 3, 3, 1, 1), None], "channels")
    c.fails("Conv", "a window that does not fit", [x, floats(rng, 3, 2, 9, 9), None], "does not fit")
    c.add("ConvTranspose", "dilated, with an output shape",
          [floats(rng, 1, 4, 3, 3), floats(rng, 4, 1, 2, 2), floats(rng, 2)], group=2,
          strides=[2, 2], output_shape=[6, 5], dilations=[1, 2])
    c.add("MaxPool", "indices, dilated", [x], outputs=2, kernel_shape=[2, 2], dilations=[2, 1],
          strides=[1, 2])
    c.add("MaxPool", "three axes, the last place reaching out", [floats(rng, 1, 1, 5, 4, 3)],
          outputs=2, kernel_shape=[2, 2, 2], strides=[2, 2, 2], ceil_mode=1)
    c.add("AveragePool", "padding counted", [x], kernel_shape=[3, 3], pads=[1, 1, 1, 1],
          strides=[2, 2], count_include_pad=1)
    c.add("LpPool", "the first norm", [x], kernel_shape=[2, 3], p=1)
    empty = np.zeros(0, np.float32)
    for mode in ("half_pixel", "asymmetric", "pytorch_half_pixel"):
        c.add("Resize", f"linear, {mode}", [x, empty, np.array([1, 1, 1.7, 0.6], np.float32),
                                                None], (2,), mode="linear", coordinate_transformation_mode=mode)
    c.fails("Resize", "scales for another rank", [x, None, np.ones(2, np.float32), None],
            "one size or scale", (2,))
    c.fails("Resize", "a negative scale", [x, None, np.array([1, 1, -1, 1], np.float32), None],
            "a scale is -1", (2,))


def layers(c, rng):
    x, h = floats(rng, 4, 2, 3), 5
    for op, gates, outputs in (("RNN", 1, 2), ("GRU", 3, 2), ("LSTM", 4, 3)):
        names = {"RNN": ["Relu"], "GRU": ["HardSigmoid", "Softsign"],
                 "LSTM": ["Sigmoid", "Tanh", "Relu"]}[op]
        w, r = floats(rng, 2, gates * h, 3), floats(rng, 2, gates * h, h)
        b, s = floats(rng, 2, 2 * gates * h), floats(rng, 2, 2, h)
        end = [None, None] if op == "LSTM" else []
        c.add(op, "both ways, with lengths", [x, w, r, b, np.array([4, 2], np.int32), s, *end],
              outputs=outputs, hidden_size=h, direction="bidirectional")
        c.add(op, "other activations, backwards, clipped",
              [x, w[:1], r[:1], None, None, None, *end], outputs=outputs, hidden_size=h,
              direction="reverse", activations=names, clip=0.7)
        c.fails(op, "an unknown activation", [x, w[:1], r[:1], None, None, None, *end],
                "not one that is known", hidden_size=h, activations=["Swirl"] * len(names))
        c.fails(op, "a length beyond the steps",
                [x, w[:1], r[:1], None, np.array([5, 2], np.int32), None, *end],
                "sequence_lens has 5", hidden_size=h)
    c.add("LayerNormalization", "over two axes, without a shift",
          [floats(rng, 2, 3, 4), floats(rng, 3, 4), None], axis=1)
    c.add("InstanceNormalization", "one axis", [floats(rng, 2, 3, 6), floats(rng, 3),
                                                floats(rng, 3)])
    c.add("BatchNormalization", "two axes", [floats(rng, 4, 3), floats(rng, 3), floats(rng, 3),
                                             floats(rng, 3), np.abs(floats(rng, 3))])
    c.add("GridSample", "cubic, reflected", [floats(rng, 1, 2, 5, 4),
                                             rng.uniform(-1.5, 1.5, (1, 3, 3, 2)).astype(np.float32)],
          mode="bicubic", padding_mode="reflection")
    c.add("RoiAlign", "greatest samples", [floats(rng, 2, 2, 8, 8),
                                           np.array([[0, 0, 5, 5], [1, 2, 7, 6]], np.float32),
                                           ints(0, 1)], output_height=2, output_width=3, mode="max",
          sampling_ratio=2)
    c.fails("RoiAlign", "an image that is not there",
            [floats(rng, 1, 1, 4, 4), np.ones((1, 4), np.float32), ints(1)], "image 1")


def padding(c, rng):
    """Uneven and chosen padding, and filters counted by the weight."""
    for rank, groups in ((1, 1), (2, 1), (2, 4), (2, 2), (3, 1)):
        x, kernel = floats(rng, 2, 4, *(9, 8, 7)[:rank]), (3, 2, 4)[:rank]
        w, b = floats(rng, 8, 4 // groups, *kernel), floats(rng, 8)
        pads = ((1, 2), (1, 0, 2, 1), (1, 0, 2, 2, 1, 0))[rank - 1]
        steps, gaps = (2, 1, 3)[:rank], (1, 2, 1)[:rank]
        given = {"kernel_shape": kernel, "group": groups}
        own = {"kernel": kernel, "num_group": groups}
        c.agrees("Convolution", f"uneven padding, {rank} axes, {groups} groups", "Conv",
                 {**given, "pads": pads, "strides": steps, "dilations": gaps}, [x, w, b], **own,
                 pad=pads, stride=steps, dilate=gaps)
        c.agrees("Convolution", f"padding behind alone, {rank} axes, {groups} groups", "Conv",
                 {**given, "pads": (0,) * rank + (1,) * rank}, [x, w], **own, no_bias=True,
                 pad=(0,) * rank + (1,) * rank)
        for side in "UPPER", "LOWER":
            c.agrees("Convolution", f"same_{side.lower()}, {rank} axes, {groups} groups", "Conv",
                     {**given, "strides": steps, "auto_pad": f"SAME_{side}"}, [x, w, b], **own,
                     stride=steps, auto_pad=f"same_{side.lower()}")
        w, b = floats(rng, 4, 6 // groups if groups < 4 else 2, *kernel), None
        c.agrees("Deconvolution", f"uneven padding, {rank} axes, {groups} groups", "ConvTranspose",
                 {**given, "pads": pads, "strides": steps}, [x, w], **own, pad=pads, stride=steps,
                 no_bias=True)
        own = {"kernel": kernel, "pad": pads, "stride": steps}
        given = {"kernel_shape": kernel, "pads": pads, "strides": steps}
        if groups == 1:
            c.agrees("Pooling", f"maximum, uneven padding, {rank} axes", "MaxPool", given, [x], **own)
            c.agrees("Pooling", f"average, uneven padding, {rank} axes", "AveragePool",
                     {**given, "count_include_pad": 1}, [x], **own, pool_type="avg",
                     count_include_pad=True)
            c.agrees("Pooling", f"average of data alone, {rank} axes", "AveragePool", given, [x],
                     **own, pool_type="avg", count_include_pad=False)
    x = floats(rng, 1, 3, 5, 6)
    c.agrees("Convolution", "one by one, padded behind", "Conv", {"pads": (0, 0, 1, 2)},
             [x, floats(rng, 4, 3, 1, 1)], kernel=(1, 1), pad=(0, 0, 1, 2), no_bias=True)
    for dtype in np.int8, np.uint8:
        x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (1, 2, 6, 7)).astype(dtype)
        c.agrees("Pooling", f"maximum of {np.dtype(dtype)}", "MaxPool",
                 {"kernel_shape": (3, 2), "pads": (1, 0, 0, 1)}, [x], kernel=(3, 2),
                 pad=(1, 0, 0, 1))


def ends(c, rng):
    """Infinities, NaN, nothing, and what just fits or does not."""
    c.add("Sign", "of a NaN", [np.array([NAN, -0.0, 0.0, 2, -INF, INF], np.float32)], exact=True)
    c.add("Sign", "of integers", [ints(-3, 0, 7)])
    c.add("MaxPool", "windows of minus infinity", [np.full((1, 1, 5, 4), -INF, np.float32)],
          outputs=2, exact=True, kernel_shape=[2, 2], dilations=[2, 1])
    c.add("MaxPool", "indices by columns", [floats(rng, 1, 2, 4, 5)], outputs=2, exact=True,
          kernel_shape=[2, 3], strides=[2, 1], storage_order=1)
    c.add("ReduceMax", "of no integers", [np.zeros((2, 0), np.int32), ints(1)], (1,))
    c.add("ReduceMin", "of no bytes", [np.zeros((0, 2), np.uint8), ints(0)], (1,), keepdims=0)
    c.add("Slice", "backwards from in front of the axis",
          [floats(rng, 3, 4), ints(-9), ints(-2**63 + 1), ints(0), ints(-1)], (1, 2, 3, 4))
    c.add("Slice", "backwards to the end",
          [floats(rng, 3, 4), ints(2), ints(2**31 - 1), ints(1), ints(-1)], (1, 2, 3, 4))
    c.add("LpPool", "a window that does not fit", [floats(rng, 1, 2, 4)], kernel_shape=[5])
    c.add("Resize", "an extent that a float scale just reaches",
          [floats(rng, 1, 1, 5), None, np.array([1, 1, 2.6], np.float32), None], (2,), mode="linear")
    c.add("Einsum", "heads of attention", [floats(rng, 2, 3, 4, 5), floats(rng, 2, 3, 6, 5)],
          equation="bhqd,bhkd->bhqk")
    c.add("Einsum", "free axes between each other", [floats(rng, 2, 3, 4), floats(rng, 4, 2, 3)],
          equation="bsd,dhk->bhsk")
    c.half("Einsum", "a matrix product in float16", [floats(rng, 3, 5), floats(rng, 5, 4)],
           equation="ij,jk->ik")
    x, h = floats(rng, 5, 2, 3), floats(rng, 1, 2, 4)
    for cell, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        weights = [floats(rng, 1, gates * 4, 3), floats(rng, 1, gates * 4, 4),
                   floats(rng, 1, gates * 8)]
        more = [floats(rng, 1, 2, 4), None] if cell == "LSTM" else []
        lengths = np.array([5, 3], np.int32)
        count = 3 if cell == "LSTM" else 2
        c.add(cell, "lengths, states, backwards", [x, *weights, lengths, h, *more], outputs=count,
              hidden_size=4, direction="reverse")
        c.add(cell, "bounded", [3 * x, *weights, None, h, *more], outputs=count, hidden_size=4,
              clip=0.5)
        c.half(cell, "in float16", [x, *weights, None, h, *more], outputs=count, hidden_size=4)
    c.add("GRU", "other activations", [x, floats(rng, 2, 12, 3), floats(rng, 2, 12, 4), None, None,
                                          None], outputs=2, hidden_size=4,
          direction="bidirectional",
          activations=["HardSigmoid", "Softsign", "Sigmoid", "LeakyRelu"],
          activation_alpha=[0.3, 0.2], activation_beta=[0.4])
    for reduction in ("add", "mul", "max", "min"):
        c.add("ScatterElements", f"{reduction}, one place often",
              [floats(rng, 3, 4), rng.integers(-3, 3, (5, 2)), floats(rng, 5, 2)], axis=0,
              reduction=reduction)
        c.add("ScatterND", f"{reduction}, one slice often",
              [floats(rng, 3, 4), np.array([[1], [-1], [1]]), floats(rng, 3, 4)],
              reduction=reduction)
    c.add("Pow", "a whole exponent", [floats(rng, 2, 3), np.array([0, 2, -3], np.int64)])
    offset = floats(rng, 1, 2 * 2 * 4, 4, 3)
    c.add("DeformConv", "groups, offsets, a mask and a bias",
          [floats(rng, 1, 4, 4, 5), floats(rng, 6, 2, 2, 2), offset, floats(rng, 6),
           floats(rng, 1, 2 * 4, 4, 3)], group=2, offset_group=2, kernel_shape=[2, 2],
          pads=[0, 0, 1, 0], dilations=[1, 2])
    c.fails("DeformConv", "offsets for another window",
            [floats(rng, 1, 2, 4, 4), floats(rng, 2, 2, 2, 2), floats(rng, 1, 6, 3, 3), None, None],
            "offset")
    c.add("CausalConvWithState", "with what came before, and an activation",
          [floats(rng, 2, 3, 4), floats(rng, 3, 1, 3), floats(rng, 3), floats(rng, 2, 3, 2)],
          outputs=2, activation="silu")
    q, k, v = floats(rng, 1, 3, 8), floats(rng, 1, 3, 4), floats(rng, 1, 3, 6)
    c.add("LinearAttention", "shared heads, a decay and a rate",
          [q, k, v, floats(rng, 1, 2, 2, 3), -np.abs(floats(rng, 1, 3, 2)),
           np.abs(floats(rng, 1, 3, 1))], outputs=2, q_num_heads=4, kv_num_heads=2)
    c.fails("LinearAttention", "a decay where none belongs",
            [q, k, v, None, floats(rng, 1, 3, 2), None], "takes no decay", q_num_heads=4, kv_num_heads=2,
            update_rule="linear")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    cases = Cases()
    for number_of_group, group in enumerate((quantised, index, arithmetic, windows, layers,
                                                  padding, ends)):
        group(cases, np.random.default_rng(number_of_group))
    cases.write(arguments.only)


main()
