#!/usr/bin/env python3
"""Writes sparse_cases.json: results of operators on sparse tensors, and how they are stored, computed
by Apache MXNet 1.9.1. README.md says how to run this; the form is that of cases/, and each tensor has
a "storage" beside its elements, which are listed as if it were dense.
"""
import json
import os
import warnings

os.environ["MXNET_STORAGE_FALLBACK_LOG_VERBOSE"] = "0"

import mxnet as mx
import numpy as np

warnings.filterwarnings("ignore")

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sparse_cases.json")
random = np.random.RandomState(20)
cases = []


def array(rows, columns, density=0.3, dtype="float32"):
    """Multiples of 1/4, so that sums do not depend on their order; about that part is not zero, and
    every fourth row is empty."""
    values = random.randint(-8, 9, (rows, columns)) / 4
    values[random.rand(rows, columns) > density] = 0
    values[1::4] = 0
    return values.astype(dtype)


def tensor_text(values, storage):
    return {"dtype": str(values.dtype), "shape": list(values.shape), "storage": storage,
            "data": [float(v) for v in values.ravel()]}


def find(operator):
    if operator == "_sparse_retain":
        return mx.nd.sparse.retain
    return getattr(mx.nd, operator, None) or getattr(mx.nd._internal, operator)


def add(operator, inputs, attributes=None, same_storage=True):
    """`inputs` are pairs of an array and a storage. Without same_storage Tenon stores the result in
    another way than MXNet, and how is left out."""
    given = [mx.nd.array(values, dtype=values.dtype) for values, _ in inputs]
    given = [tensor if storage == "default" else tensor.tostype(storage)
             for tensor, (_, storage) in zip(given, inputs)]
    result = find(operator)(*given, **(attributes or {}))
    wanted = tensor_text(result.asnumpy(), result.stype)
    if not same_storage:
        del wanted["storage"]
    cases.append({"operator": operator,
                  "attributes": {key: str(value) for key, value in (attributes or {}).items()},
                  "inputs": [tensor_text(*pair) for pair in inputs], "outputs": [wanted]})


STORAGES = ("default", "row_sparse", "csr")

for dtype in ("float32", "float64"):
    for left in STORAGES:
        for right in STORAGES:
            a, b = array(9, 5, dtype=dtype), array(9, 5, dtype=dtype)
            for operator in ("elemwise_add", "elemwise_sub", "elemwise_mul", "_maximum"):
                add(operator, [(a, left), (b, right)])
            add("add_n", [(a, left), (b, right), (a, left)])
            add("broadcast_mul", [(a, left), (b[:1], right)], same_storage=left != "csr")
    for storage in STORAGES:
        a = array(6, 7, dtype=dtype)
        for operator in ("_mul_scalar", "_div_scalar"):
            add(operator, [(a, storage)], {"scalar": 2})
        for scalar in (0, 2):
            add("_plus_scalar", [(a, storage)], {"scalar": scalar})
            add("_minus_scalar", [(a, storage)], {"scalar": scalar})
        add("_rdiv_scalar", [(np.abs(a) + 1, storage)], {"scalar": 2})
        add("_maximum_scalar", [(a, storage)], {"scalar": 0}, same_storage=False)
        for operator in ("abs", "sign", "square", "relu", "negative", "sin", "tanh", "expm1", "floor",
                         "cos", "exp", "_copy", "BlockGrad"):
            add(operator, [(a, storage)])
        add("sum", [(a, storage)], {"axis": 1})
        for stype in STORAGES:
            if "default" in (storage, stype) or storage == stype:
                add("cast_storage", [(a, storage)], {"stype": stype})
    for transpose_a in (False, True):
        for transpose_b in (False, True):
            for left in STORAGES:
                for right in STORAGES:
                    a = array(8, 6, dtype=dtype)
                    b = array(8 if transpose_a else 6, 4, 0.6, dtype)
                    flags = {"transpose_a": transpose_a, "transpose_b": transpose_b}
                    add("dot", [(a, left), (np.ascontiguousarray(b.T) if transpose_b else b, right)],
                        flags)
    for stype in STORAGES:
        a, b = array(8, 6, dtype=dtype), array(8, 4, dtype=dtype)
        add("dot", [(a, "csr"), (b, "default")], {"transpose_a": True, "forward_stype": stype})
    add("_sparse_retain", [(array(9, 3, dtype=dtype), "row_sparse"),
                           (np.array([0, 1, 4, 8], "int64"), "default")])
    # Nothing is stored.
    none = np.zeros((3, 4), dtype)
    for storage in ("row_sparse", "csr"):
        add("elemwise_add", [(none, storage), (none, storage)])
        add("elemwise_mul", [(none, storage), (array(3, 4, dtype=dtype), storage)])
        add("square", [(none, storage)])
    add("dot", [(none, "csr"), (array(4, 2, dtype=dtype), "default")])
    add("dot", [(none, "csr"), (array(3, 2, dtype=dtype), "default")], {"transpose_a": True})
    # A row is longer than what is computed at a time.
    long_rows = array(3, 1300, dtype=dtype)
    for storage in ("row_sparse", "csr"):
        add("elemwise_sub", [(long_rows, storage), (array(3, 1300, dtype=dtype), storage)])

for dtype in ("float32", "float64"):
    for axis in (0, 1):
        for keepdims in (False, True):
            add("_square_sum", [(array(9, 3, dtype=dtype), "row_sparse")],
                {"axis": axis, "keepdims": keepdims})

with open(PATH, "w", encoding="utf-8") as file:
    file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases), "cases")
