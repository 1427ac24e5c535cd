"""Apache MXNet's symbolic executor."""

import os
import sys

os.environ["OMP_NUM_THREADS"] = sys.argv[3]

import mxnet

import peer


def load(model, _threads, option, arrays):
    symbol = mxnet.sym.load(model)
    values = {name.split(":", 1)[1]: value
              for name, value in mxnet.nd.load(option.split("=", 1)[1]).items()}
    shapes = {name: array.shape for name, array in arrays.items()}
    executor = symbol.simple_bind(mxnet.cpu(), grad_req="null", **shapes)
    for name, array in list(executor.arg_dict.items()) + list(executor.aux_dict.items()):
        if name in values:
            values[name].copyto(array)

    def run(given):
        inputs = {name: mxnet.nd.array(array) for name, array in given.items()}
        return [output.asnumpy() for output in executor.forward(is_train=False, **inputs)]

    return run


peer.serve(load)
