#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets: corpus/<target>/seed-*, small files of every kind.

    make_seeds.py

Everything is made here, from nothing or from the operators' test cases; the files come out the same
each time. Other names in the corpus are faults that were found, and are left alone.
"""

import glob
import gzip
import io
import json
import os
import struct
import sys
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
import onnx_model
from jpeg_picture import jpeg

CASES = os.path.join(HERE, "..", "operators", "cases")
FLOATS = struct.pack("<6f", 0, 1, -2, 0.5, 3e38, float("nan"))


def write(target, name, data):
    folder = os.path.join(HERE, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "seed-" + name), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def make_note():
    """An ELF file that is nothing but a header, a segment of notes and the note."""
    content = b"\0".join([b"name=n", b"version=1", b"contract=0.1", b"needs=1",
                          b"requires=error/1,log/1", b"optional=", b"sanitizer=none",
                          b"toolchain=cc", b""])
    owner = b"Tenon\0\0\0"
    note = struct.pack("<3I", 6, len(content), 1) + owner + content + bytes(-len(content) % 4)
    for name, machine in (("x86", 62), ("arm", 183)):
        header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
            "<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
        segment = struct.pack("<IIQQQQQQ", 4, 4, 120, 120, 120, len(note), len(note), 4)
        write("note", name, b"\0" + header + segment + note)


def make_symbols():
    """A library of two symbols, found by either kind of hash table."""
    texts = b"\0first\0second\0"
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", name, 0x11, 0, 1, 0, 0)
                                   for name in (1, 7))
    tables = {"hash": (4, struct.pack("<7I", 1, 3, 2, 0, 0, 1, 0)),
              "gnu-hash": (0x6FFFFEF5, struct.pack("<4IQ3I", 1, 1, 1, 0, 0, 1, 2, 3))}
    for name, (tag, table) in tables.items():
        dynamic_size = 5 * 16
        begin = 64 + 2 * 56
        at = [begin, begin + dynamic_size]
        for part in (table, symbols, texts):
            at.append(at[-1] + len(part) + -len(part) % 8)
        dynamic = struct.pack("<10Q", tag, at[1], 6, at[2], 5, at[3], 10, len(texts), 0, 0)
        body = b"".join(part + bytes(-len(part) % 8) for part in (dynamic, table, symbols, texts))
        header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
            "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
        size = begin + len(body)
        segments = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, size, size, 4096) + struct.pack(
            "<IIQQQQQQ", 2, 4, begin, begin, begin, dynamic_size, dynamic_size, 8)
        write("symbols", name, header + segments + body)


def gnu_hash(name):
    value = 5381
    for letter in name:
        value = (value * 33 + letter) & 0xFFFFFFFF
    return value


def make_offers():
    """A library with nothing but a table `tenon_plugin` of a kernel and a format, and what leads to
    it; the pointers are relocations with addends, or stand in the file (packed relocations)."""
    texts = b"\0tenon_plugin\0"
    words = b"kernel\0relu.cpu\0relu\0cpu\0format\0npy\0.npy\0"
    at_word = {word: words.index(word + b"\0") for word in (
        b"kernel", b"relu.cpu", b"relu", b"cpu", b"format", b"npy", b".npy")}
    for name, packed in (("relocated", False), ("packed", True)):
        dynamic_size, begin = 8 * 16, 64 + 2 * 56
        hash_at = begin + dynamic_size
        table = struct.pack("<4IQ2I", 1, 1, 1, 0, 0, 1, gnu_hash(b"tenon_plugin") | 1)
        symbols_at = hash_at + len(table)
        plugin_at = symbols_at + 2 * 24
        entries_at, impl_at = plugin_at + 64, plugin_at + 64 + 2 * 32
        texts_at = impl_at + 2 * 32
        words_at = texts_at + 16
        relocations_at = words_at + len(words) + -len(words) % 8
        word = {key: words_at + value for key, value in at_word.items()}
        pointers = {plugin_at + 32: entries_at}
        for index, (kind, entry, impl) in enumerate((
                (b"kernel", b"relu.cpu", (b"relu", b"cpu")), (b"format", b"npy", (None, b".npy")))):
            entry_at, struct_at = entries_at + 32 * index, impl_at + 32 * index
            pointers[entry_at] = word[kind]
            pointers[entry_at + 8] = word[entry]
            pointers[entry_at + 24] = struct_at
            for place, text in enumerate(impl):
                if text is not None:
                    pointers[struct_at + 8 + 8 * place] = word[text]
        symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x11, 0, 1, plugin_at, 64)
        data = struct.pack("<4I3Q2I2Q", 64, 0, 1, 1, 0, 0, 0, 2, 32, 0, 0) + struct.pack(
            "<QQIIQ", 0, 0, 1, 0, 0) * 2 + struct.pack("<IIQQQ", 32, 0, 0, 0, 0) * 2
        if packed:
            data = bytearray(data)
            for place, value in pointers.items():
                struct.pack_into("<Q", data, place - plugin_at, value)
        relocations = b"" if packed else b"".join(
            struct.pack("<QQq", place, 8, value) for place, value in sorted(pointers.items()))
        dynamic = struct.pack("<16Q", 0x6FFFFEF5, hash_at, 6, symbols_at, 5, texts_at, 10,
                              len(texts), 7, relocations_at, 8, len(relocations),
                              36 if packed else 9, relocations_at, 0, 0)
        body = dynamic + table + symbols + bytes(data) + texts + bytes(16 - len(texts)) + words
        body += bytes(-len(words) % 8) + relocations
        size = begin + len(body)
        header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
            "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
        segments = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, size, size, 4096) + struct.pack(
            "<IIQQQQQQ", 2, 4, begin, begin, begin, dynamic_size, dynamic_size, 8)
        write("offers", name, header + segments + body)


def shape_of(extents):
    return struct.pack(f"<i{len(extents)}q", len(extents), *extents)


CPU_F32 = struct.pack("<iii", 1, 0, 0)
INT64 = struct.pack("<i", 6)


def ndarrays():
    """(name, record) of every version and storage type."""
    yield "v0", struct.pack("<3I", 2, 2, 3) + CPU_F32 + FLOATS
    yield "v1", struct.pack("<I", 0xF993FAC8) + shape_of([2, 3]) + CPU_F32 + FLOATS
    dense = struct.pack("<i", 0)
    yield "v2", struct.pack("<I", 0xF993FAC9) + dense + shape_of([3, 2]) + CPU_F32 + FLOATS
    yield "v2-none", struct.pack("<I", 0xF993FAC9) + dense + shape_of([])
    yield "v3-scalar", struct.pack("<I", 0xF993FACA) + dense + shape_of([]) + CPU_F32 + FLOATS[:4]
    yield "v3-none", struct.pack("<Iii", 0xF993FACA, 0, -1)
    yield "row-sparse", (struct.pack("<Ii", 0xF993FAC9, 1) + shape_of([2, 3]) + shape_of([4, 3]) +
                         CPU_F32 + INT64 + shape_of([2]) + FLOATS + struct.pack("<2q", 0, 3))
    yield "csr", (struct.pack("<Ii", 0xF993FAC9, 2) + shape_of([2]) + shape_of([2, 3]) + CPU_F32 +
                  INT64 + shape_of([3]) + INT64 + shape_of([2]) + FLOATS[:8] +
                  struct.pack("<3q", 0, 1, 2) + struct.pack("<2q", 2, 0))


def array_list(records, names):
    data = struct.pack("<3Q", 0x112, 0, len(records)) + b"".join(records)
    data += struct.pack("<Q", len(names))
    for name in names:
        data += struct.pack("<Q", len(name)) + name.encode()
    return data


def make_params():
    for name, record in ndarrays():
        write("params", name, array_list([record], ["arg:w"]))
    records = dict(ndarrays())
    write("params", "all", array_list(list(records.values()), list(records)))
    write("params", "nameless", array_list([records["v2"]], []))


def npy(descr, shape, data, fortran=False, version=1):
    text = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    size = 8 + (2 if version == 1 else 4) + len(text) + 1
    text += " " * (-size % 64) + "\n"
    return (b"\x93NUMPY" + bytes([version, 0]) +
            struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode() + data)


def make_npy():
    write("npy", "f32", npy("'<f4'", "(2, 3)", FLOATS))
    write("npy", "big-endian-fortran", npy("'>f4'", "(2, 3)", FLOATS, fortran=True))
    write("npy", "scalar-v3", npy("'<i8'", "()", bytes(8), version=3))
    write("npy", "empty-v2", npy("'|b1'", "(0, 7)", b"", version=2))
    write("npy", "structure", npy("[('a', '<f4')]", "(6,)", FLOATS))
    write("npy", "half", npy("'<f2'", "(4L,)", bytes(8)))


def make_npz():
    for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for entry, data in (("a.npy", npy("'<f4'", "(2, 3)", FLOATS)),
                                ("b.npy", npy("'|u1'", "(3,)", b"abc")), ("readme", b"no array")):
                info = zipfile.ZipInfo(entry, (1980, 1, 1, 0, 0, 0))
                info.compress_type = method
                archive.writestr(info, data)
        write("npz", name, buffer.getvalue())
    write("npz", "empty", b"PK\5\6" + bytes(18))


def make_idx():
    images = struct.pack(">4B3I", 0, 0, 8, 3, 2, 2, 2) + bytes(range(8))
    write("idx", "bytes", images)
    write("idx", "floats", struct.pack(">4BI", 0, 0, 13, 1, 6) + FLOATS)
    write("idx", "scalar", struct.pack(">4B", 0, 0, 8, 0) + b"x")
    write("idx", "gzip", gzip.compress(images, mtime=0))


def png(width, height, depth, color, rows, extra=b"", interlace=0):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    chunks = b"".join(chunk(kind, data) for kind, data in extra) if extra else b""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunks +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def make_png():
    write("png", "grey", png(3, 2, 8, 0, b"\0abc\1def"))
    write("png", "grey-1-bit", png(3, 2, 1, 0, b"\0\xa0\0\x40"))
    write("png", "rgb", png(2, 2, 8, 2, b"\2abcdef\3ghijkl"))
    write("png", "rgba-16-bit", png(1, 1, 16, 6, b"\0abcdefgh"))
    write("png", "palette", png(2, 1, 8, 3, b"\0\0\1", [(b"PLTE", b"abcdef"), (b"tRNS", b"\x80")]))
    write("png", "grey-alpha-interlaced", png(2, 2, 8, 4, b"\0ab\0cd\0efgh", interlace=1))


def make_jpeg():
    write("jpeg", "grey", jpeg(8, 8, 1))
    write("jpeg", "colour", jpeg(12, 9, 3))
    write("jpeg", "ink", jpeg(8, 8, 4))
    write("jpeg", "progressive", jpeg(9, 17, 1, True))


def make_pnm():
    write("pnm", "grey", b"P5 3 2 255\nabcdef")
    write("pnm", "colour", b"P6\n# made by hand\n1 2\n255\nabcdef")
    write("pnm", "grey-digits", b"P2 2 2 7 0 1 6 7")
    write("pnm", "colour-16-bit", b"P6 1 1 65535\nabcdef")


def make_attributes():
    write("attributes", "none-given", "")
    write("attributes", "words", "flag=True\nmaybe_flag=None\nchoice=avg\nnone_choice=NHWC\n"
                                 "text=a = b\nmaybe_text=None\ndtype=bf16\nmaybe_dtype=None")
    write("attributes", "numbers", "number=-12L\nmaybe_number=None\nsmall=9.0\nreal=-1.5e-3\n"
                                   "maybe_real=nan\npositive=1e308")
    write("attributes", "lists", "integers=(2, 3)\nmaybe_integers=[None,1]\nextents=7\n"
                                 "reals=(0.5, -inf,)\nmaybe_reals=()")
    write("attributes", "limits", "number=-9223372036854775808\nsmall=-9\n"
                                  "integers=[9223372036854775807, 0]")


def make_reshape():
    for name, reverse, source, request in (
            ("copy", 0, [2, 3, 4], [0, 0, 0]), ("infer", 0, [2, 3, 4], [-1, 4]),
            ("rest", 0, [2, 3, 4], [6, -2]), ("merge", 1, [2, 3, 4], [-3, 0]),
            ("split", 0, [12, 4], [-4, 3, -1, 0]), ("split-reverse", 1, [4, 12], [0, -1, 3, -4]),
            ("empty", 0, [0, 3], [3, 0]), ("scalar", 0, [], [1, 1])):
        write("reshape", name, struct.pack(f"<BB{len(source)}H{len(request)}b", reverse,
                                           len(source), *source, *request))


def make_dataset_options():
    write("dataset_options", "plain", "idx:images=a.gz,labels=b.gz")
    write("dataset_options", "escaped", "idx:images=a\\,b\\\\=c,labels=")
    write("dataset_options", "kind", "idx")


def graph_of(operator, case):
    """One node in Tenon's JSON, its inputs, of which some may be absent, with their types."""
    nodes, inputs = [], []
    for tensor in case["inputs"]:
        inputs.append(tensor and [len(nodes), 0])
        if tensor:
            nodes.append({"name": f"i{len(nodes)}", "dtype": tensor["dtype"],
                          "shape": tensor["shape"]})
    nodes.append({"name": "n", "op": operator, "attributes": case["attributes"],
                  "inputs": inputs})
    return {"tenon": 1, "nodes": nodes, "outputs": [[len(nodes) - 1, 0]]}


def element_count(case):
    count = 0
    for tensor in filter(None, case["inputs"] + case["outputs"]):
        product = 1
        for extent in tensor["shape"]:
            product *= extent
        count += product
    return count


def make_run():
    """For each operator the small case with most attributes."""
    for path in sorted(glob.glob(os.path.join(CASES, "*.json"))):
        with open(path, encoding="utf-8") as file:
            operator = json.load(file)
        cases = [c for c in operator["cases"] if "outputs" in c and element_count(c) < 1500]
        if cases:
            case = max(cases, key=lambda c: (len(c["attributes"]), -element_count(c)))
            name = os.path.basename(path).removesuffix(".json")
            write("run", name, json.dumps(graph_of(operator["operator"], case)))
    write("run", "fused_elementwise", json.dumps(graph_of("fused_elementwise", {
        "inputs": [{"dtype": "float32", "shape": [2, 3]}, {"dtype": "float32", "shape": [3]}],
        "attributes": {"program": "add(%0,%1) clip(%2,$0,$1) subtract($1,%3)",
                       "numbers": "(0.5,2)"}})))


def make_graph_json():
    x = {"name": "x", "dtype": "float32", "shape": [2, None]}
    write("graph_json", "empty", '{"tenon": 1, "nodes": [], "outputs": []}')
    write("graph_json", "chain", json.dumps({"tenon": 1, "parameters": "p.npz", "nodes": [
        x, {"name": "w"},
        {"name": "fc", "op": "FullyConnected", "attributes": {"num_hidden": "3", "no_bias": "True"},
         "inputs": [[0, 0], [1, 0]], "annotations": {"__lr_mult__": "2"}},
        {"name": "b", "op": "BatchNorm", "inputs": [[2, 0], None, None, None, None]},
        {"name": "r", "op": "Reshape", "attributes": {"shape": "(0, -4, -1, 3)"},
         "inputs": [[3, 0]], "controls": [0]}], "outputs": [[4, 0], [2, 0]]}))
    inner = {"nodes": [{"name": "i"}, {"name": "a", "op": "Activation", "inputs": [[0, 0]],
                                       "attributes": {"act_type": "relu"}}], "outputs": [[1, 0]]}
    write("graph_json", "subgraph", json.dumps({"tenon": 1, "nodes": [
        x, {"name": "s", "op": "Activation", "attributes": {"act_type": "tanh"},
            "inputs": [[0, 0]], "subgraphs": [inner]},
        {"name": "later", "op": "elemwise_add", "inputs": [[3, 0], [1, 0]]},
        {"name": "y\u00e9\"", "annotations": {}}], "outputs": [[2, 0]]}))


def symbol(nodes, heads, **members):
    return json.dumps({"nodes": nodes, "arg_nodes": [i for i, n in enumerate(nodes)
                                                     if n["op"] == "null"], "heads": heads,
                       **members})


def make_symbol():
    def variable(name, **more):
        return {"op": "null", "name": name, "inputs": [], **more}
    fc = {"op": "FullyConnected", "name": "fc", "attrs": {"num_hidden": "3"},
          "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}
    nodes = [variable("data", attrs={"__shape__": "(2, 2)"}), variable("w"), variable("b"), fc]
    modern = symbol(nodes, [[3, 0, 0]], node_row_ptr=[0, 1, 2, 3, 4],
                    attrs={"mxnet_version": ["int", 10600]})
    records = dict(ndarrays())
    bias = struct.pack("<I", 0xF993FAC8) + shape_of([3]) + CPU_F32 + FLOATS[:12]
    write("symbol", "modern", modern)
    write("symbol", "with-parameters", modern.encode() + b"\0" +
          array_list([records["v2"], bias], ["arg:w", "arg:b"]))
    old = [variable("data", param={}, attr={"ctx_group": "a"}), variable("bn_gamma"),
           variable("bn_beta"),
           {"op": "BatchNorm", "name": "bn", "param": {"eps": "0.001", "momentum": "0.9"},
            "inputs": [[0, 0], [1, 0], [2, 0]], "backward_source_id": -1},
           {"op": "Activation", "name": "act", "param": {"act_type": "relu"}, "inputs": [[3, 0]],
            "backward_source_id": -1, "attr": {"force_mirroring": "True"}}]
    write("symbol", "old", symbol(old, [[4, 0]]))
    loop = [variable("x"), {"op": "_foreach", "name": "f", "attrs": {"num_args": "1"},
                            "inputs": [[0, 0, 0]], "subgraphs": [json.loads(modern)]}]
    write("symbol", "subgraph", symbol(loop, [[1, 0, 0]]))


def make_onnx():
    """Models with each kind of part, and tensors in each kind of field."""
    w = onnx_model.floats("w", [2], 1, 2)
    inputs = [onnx_model.value_info("x", onnx_model.FLOAT, ["n"])]
    outputs = [onnx_model.value_info("y")]
    plain = onnx_model.graph([onnx_model.node("Add", ["x", "w"], ["y"])], inputs, outputs, [w])
    write("onnx", "plain", onnx_model.model(plain))
    branch = onnx_model.graph([onnx_model.node("Neg", ["x"], ["z"])], [],
                              [onnx_model.value_info("z")])
    choice = onnx_model.node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
    condition = onnx_model.value_info("c", onnx_model.BOOL, [])
    write("onnx", "if", onnx_model.model(onnx_model.graph([choice], [condition] + inputs, outputs)))
    wide = onnx_model.graph([onnx_model.node("Add", ["x", "w"], ["z"])], [],
                            [onnx_model.value_info("z")])
    columns = onnx_model.floats("w", [2, 1], 1, 2)
    stages = [onnx_model.node("If", ["c"], ["a"], then_branch=wide, else_branch=branch),
              onnx_model.node("Shape", ["a"], ["s"]),
              onnx_model.node("Reshape", ["a", "s"], ["r"]), onnx_model.node("Neg", ["r"], ["y"])]
    write("onnx", "stages", onnx_model.model(onnx_model.graph(stages, [condition] + inputs, outputs,
                                                              [columns])))
    part = onnx_model.function("f", "F", ["a"], ["b"], [onnx_model.node("Neg", ["a"], ["b"])])
    call = onnx_model.graph([onnx_model.node("F", ["x"], ["y"], domain="f")], inputs, outputs)
    write("onnx", "function", onnx_model.model(call, domains=["f"], functions=[part]))
    shape = [onnx_model.node("Constant", [], ["s"], value_ints=[1, -1]),
             onnx_model.node("Reshape", ["x", "s"], ["y"])]
    write("onnx", "reshape", onnx_model.model(onnx_model.graph(shape, inputs, outputs)))
    write("onnx", "external", onnx_model.model(onnx_model.graph(
        [], inputs, [onnx_model.value_info("w")],
        [onnx_model.external("w", [2], location="w.bin", offset=0, length=8)])))
    write("onnx", "sparse", onnx_model.model(
        onnx_model.graph([onnx_model.node("Neg", ["s"], ["y"])], [], outputs) +
        onnx_model.field(15, [onnx_model.sparse("s", [2, 3], [5, 7], [[1, 0], [0, 2]])])))
    write("onnx_tensor", "raw", w)
    write("onnx_tensor", "strings", onnx_model.tensor("s", onnx_model.STRING, [2], ["a", "bc"]))
    write("onnx_tensor", "typed", onnx_model.field(1, [2]) + onnx_model.field(2, 2) +
          onnx_model.field(5, [1, 300]))


def main():
    for make in (make_note, make_params, make_npy, make_npz, make_idx, make_png, make_jpeg, make_pnm,
                 make_attributes, make_reshape, make_dataset_options, make_run, make_graph_json, make_symbol,
                 make_symbols, make_offers, make_onnx):
        make()


main()
