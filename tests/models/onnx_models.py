#!/usr/bin/env python3
"""ONNX models of TENON_TEST_MODELS, as the command runs them, against the outputs beside them.

    onnx_models.py DEVICE [first]

Every case of each model, or the first one alone, and then of the large models only when
TENON_TEST_LARGE is set: a software renderer takes minutes for them. An output agrees when each
element is within the tolerances that the model's model.json gives. TAP, a test a case.
"""

import array
import ast
import json
import os
import struct
import subprocess
import sys
import tempfile

MODELS = os.environ.get("TENON_TEST_MODELS", "")
COMMAND = os.environ["TENON_TEST_COMMAND"]
# Of a billion products and more.
LARGE = {"light/densenet121", "light/inception_v1", "light/inception_v2", "light/resnet50",
         "light/vgg19", "light/zfnet512"}
LETTERS = {"f4": "f", "f8": "d", "i4": "i", "i8": "q", "i1": "b", "u1": "B", "b1": "B", "i2": "h",
           "u2": "H", "u4": "I", "u8": "Q"}


def read_npy(path):
    """Shape and elements as numbers."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        raise ValueError(f"{path} is no NumPy file")
    wide = data[6] > 1
    size = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
    start = (12 if wide else 10) + size
    header = ast.literal_eval(data[start - size:start].decode())
    code = header["descr"][1:]
    if code == "f2":
        return header["shape"], struct.unpack(f"<{(len(data) - start) // 2}e", data[start:])
    values = array.array(LETTERS[code])
    values.frombytes(data[start:])
    return header["shape"], values


def difference(found, wanted, tolerance):
    """What is wrong with an output; None: nothing."""
    (shape, values), (wanted_shape, wanted_values) = read_npy(found), read_npy(wanted)
    if tuple(shape) != tuple(wanted_shape):
        return f"is {shape}, expected {wanted_shape}"
    rtol, atol = tolerance["rtol"], tolerance["atol"]
    for i, (a, b) in enumerate(zip(values, wanted_values)):
        if not (abs(a - b) <= atol + rtol * abs(b) or a == b or (a != a and b != b)):
            return f"element {i} is {a}, expected {b}"
    return None


def run_case(folder, about, case, device, scratch):
    words = [COMMAND, "run", os.path.join(folder, about["model"]), "--device", device]
    for given in case["inputs"]:
        words += ["--input", f"{given['name']}={os.path.join(folder, given['file'])}"]
    for i, wanted in enumerate(case["outputs"]):
        words += ["--output", f"{wanted['name']}={os.path.join(scratch, f'{i}.npy')}"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return result.stderr.strip()
    for i, wanted in enumerate(case["outputs"]):
        wrong = difference(os.path.join(scratch, f"{i}.npy"), os.path.join(folder, wanted["file"]),
                           about["tolerance"])
        if wrong:
            return f"{wanted['name']} {wrong}"
    return None


def cases(only_first):
    folders = sorted(path for path, _, files in os.walk(MODELS) if "model.json" in files)
    for folder in folders:
        name = os.path.relpath(folder, MODELS)
        with open(os.path.join(folder, "model.json"), encoding="utf-8") as file:
            about = json.load(file)
        if about.get("format") == "onnx":
            for key in list(about["cases"])[:1 if only_first else None]:
                yield f"{name} {key}", folder, about, about["cases"][key]


def main():
    device = sys.argv[1]
    if not os.path.isdir(MODELS):
        print("1..1")
        print("ok - models # SKIP no models: the folder that TENON_TEST_MODELS names is not there")
        return
    listed = list(cases("first" in sys.argv[2:]))
    skips_large = "first" in sys.argv[2:] and not os.environ.get("TENON_TEST_LARGE")
    print(f"1..{len(listed)}")
    for name, folder, about, case in listed:
        if skips_large and name.rsplit(" ", 1)[0] in LARGE:
            print(f"ok - {name} # SKIP large: TENON_TEST_LARGE=1 runs it")
            continue
        with tempfile.TemporaryDirectory(prefix="tenon-models-") as scratch:
            wrong = run_case(folder, about, case, device, scratch)
        print(f"ok - {name}" if wrong is None else f"not ok - {name}\n  {wrong}")
        sys.stdout.flush()


main()
