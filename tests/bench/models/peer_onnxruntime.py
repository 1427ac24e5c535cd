"""ONNX Runtime's CPU provider with all of its optimisations."""

import onnxruntime

import peer


def load(model, threads, _option, _arrays):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda arrays: session.run(None, arrays)


peer.serve(load)
