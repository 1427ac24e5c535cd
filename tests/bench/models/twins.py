"""Copies of models whose weights are made by ConstantOfShape, with random weights stored in the
file: what they compute is then worth comparing, and there is something to load. A softmax at the
end is left out, because it makes the outputs of a network that was never trained all alike."""

import math

import numpy
import onnx
from onnx import numpy_helper


def draw(random, name, shape, uses):
    """Values that keep a deep network's numbers in range: variances and scales about 1, weights by
    the number of products in a sum."""
    users = [(node.op_type, index) for node, index in uses.get(name, [])]
    if ("BatchNormalization", 4) in users or ("BatchNormalization", 1) in users:
        return random.uniform(0.5, 1.5, shape)
    if len(shape) < 2:
        return random.normal(0, 0.1, shape)
    return random.normal(0, math.sqrt(2 / max(1, math.prod(shape[1:]))), shape)


def make_twin(path, target):
    model = onnx.load(path)
    graph = model.graph
    known = {initializer.name: numpy_helper.to_array(initializer)
             for initializer in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            known[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    uses = {}
    for node in graph.node:
        for index, name in enumerate(node.input):
            uses.setdefault(name, []).append((node, index))
    random = numpy.random.default_rng(1)
    kept = []
    for node in graph.node:
        if node.op_type == "ConstantOfShape" and node.input[0] in known:
            shape = [int(extent) for extent in known[node.input[0]]]
            values = draw(random, node.output[0], shape, uses).astype(numpy.float32)
            graph.initializer.append(numpy_helper.from_array(values, node.output[0]))
        else:
            kept.append(node)
    last = kept[-1]
    if last.op_type == "Softmax":
        kept.pop()
        graph.output[0].name = last.input[0]
    used = {name for node in kept for name in node.input}
    weights = [weight for weight in graph.initializer if weight.name in used]
    inputs = [value for value in graph.input if value.name not in known or value.name in used]
    for field, values in ((graph.node, kept), (graph.initializer, weights), (graph.input, inputs)):
        del field[:]
        field.extend(values)
    onnx.save(model, target)
