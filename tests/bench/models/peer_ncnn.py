"""ncnn, on the file that its converter pnnx makes of an ONNX model before the clock starts."""

import importlib.util
import os
import subprocess
import sys
import tempfile

import ncnn
import numpy
import onnx

import peer


def convert(path, directory):
    """ncnn's two files. Weights must not stand among the inputs, as old ONNX files have them."""
    model = onnx.load(path)
    weights = {weight.name for weight in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in weights]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    onnx.save(model, os.path.join(directory, "model.onnx"))
    shapes = ",".join("[" + ",".join(str(axis.dim_value or 1) for axis in
                                     value.type.tensor_type.shape.dim) + "]" for value in inputs)
    # The package is only looked for: importing it takes PyTorch, its program does not.
    package = importlib.util.find_spec("pnnx")
    if package is None:
        sys.exit("the package pnnx, which converts, is not installed")
    program = os.path.join(package.submodule_search_locations[0], "pnnx")
    subprocess.run([program, "model.onnx", f"inputshape={shapes}", "fp16=0"], cwd=directory,
                   check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    files = [os.path.join(directory, "model.ncnn." + end) for end in ("param", "bin")]
    if not all(os.path.exists(file) for file in files):
        sys.exit("pnnx cannot convert it")
    return files


def load(files, threads, _option, arrays):
    net = ncnn.Net()
    net.opt.num_threads = threads
    net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
    if net.load_param(files[0]) or net.load_model(files[1]):
        sys.exit("ncnn cannot read what pnnx made")
    # A batch of one has no axis in ncnn.
    given = [ncnn.Mat(numpy.ascontiguousarray(array[0])) for array in arrays.values()]
    names = net.output_names()

    def run(_arrays):
        extractor = net.create_extractor()
        for name, value in zip(net.input_names(), given):
            extractor.input(name, value)
        outputs = []
        for name in names:
            fault, value = extractor.extract(name)
            if fault:
                sys.exit(f"ncnn cannot compute {name}")
            outputs.append(numpy.array(value)[None])
        return outputs

    return run


with tempfile.TemporaryDirectory() as directory:
    sys.argv[1] = convert(sys.argv[1], directory)
    peer.serve(load)
