"""What the tests of the command share: running it in a folder of its own, and files to give it."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

SOURCE = os.environ["TENON_TEST_SOURCE"]
COMMAND = os.environ["TENON_TEST_COMMAND"]
DEMO = os.path.join(SOURCE, "docs", "examples", "fashion-mnist", "fashion-mnist-symbol.json")


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Trial:
    """A folder, and the command run in it."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return name

    def tenon(self, *words, code=0, output=None, environment=None):
        """What it printed on standard output and standard error; the exit code must be `code`."""
        result = subprocess.run([COMMAND, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=output or subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, **(environment or {})}, check=False)
        said = "tenon " + " ".join(words)
        errors = result.stderr.decode()
        expect(result.returncode == code,
               f"{said}: exit code {result.returncode}, not {code}\n{errors}")
        return (result.stdout or b"").decode(), errors

    def good(self, *words):
        """Standard output of a call that succeeds and complains about nothing."""
        out, errors = self.tenon(*words)
        expect(errors == "", f"tenon {' '.join(words)}: unexpected on standard error: {errors}")
        return out

    def json(self, *words):
        out = self.good(*words)
        try:
            return json.loads(out)
        except ValueError as error:
            raise Failure(f"tenon {' '.join(words)}: no JSON: {error}\n{out[:400]}") from error

    def refused(self, code, part, *words, environment=None):
        """A call that fails: nothing on standard output, one complaint that holds `part`."""
        out, errors = self.tenon(*words, code=code, environment=environment)
        said = "tenon " + " ".join(words)
        expect(out == "", f"{said}: on standard output: {out}")
        expect(errors.startswith("tenon: ") and errors.endswith("\n"), f"{said}: says: {errors}")
        expect(part in errors, f"{said}: '{part}' is not in: {errors}")
        return errors


def npy(dtype, shape, values):
    """A NumPy file; dtype is one of NumPy's codes and the letter of `struct`, ("<f4", "f")."""
    code, letter = dtype
    extents = "(" + "".join(f"{extent}, " for extent in shape) + ")"
    text = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {extents}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return (b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() +
            struct.pack(f"<{len(values)}{letter}", *values))


F32, I32, I64, F64 = ("<f4", "f"), ("<i4", "i"), ("<i8", "q"), ("<f8", "d")


def npz(path, arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in arrays.items():
            archive.writestr(name + ".npy", data)


def idx(extents, values):
    """An IDX file of bytes."""
    return (struct.pack(f">4B{len(extents)}I", 0, 0, 8, len(extents), *extents) + bytes(values))


def scale_model(factor="2"):
    """MXNet's JSON of data * factor."""
    return json.dumps({
        "nodes": [{"op": "null", "name": "data", "inputs": []},
                  {"op": "_mul_scalar", "name": "scale", "attrs": {"scalar": factor},
                   "inputs": [[0, 0, 0]]}],
        "arg_nodes": [0], "heads": [[1, 0, 0]]})


def run_all(*tests):
    """TAP: each test has a folder of its own; its name and first line say what it is about."""
    print(f"1..{len(tests)}")
    for test in tests:
        with tempfile.TemporaryDirectory(prefix="tenon-cli-") as folder:
            try:
                test(Trial(folder))
                print(f"ok - {test.__name__}")
            except Skip as why:
                print(f"ok - {test.__name__} # SKIP {why}")
            except (Failure, OSError, KeyError, IndexError, ValueError) as why:
                print(f"not ok - {test.__name__}")
                print("\n".join("  " + line for line in repr_of(why).splitlines()))
        sys.stdout.flush()


def repr_of(why):
    return str(why) if isinstance(why, Failure) else repr(why)
