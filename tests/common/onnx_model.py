"""ONNX files from Python, without a library: as much of the format as the tests need."""

import struct

FLOAT, INT64, STRING, BOOL = 1, 7, 8, 9


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """An integer, a float, a text or the bytes of a message, or a list of those."""
    if isinstance(value, (list, tuple)):
        return b"".join(field(number, item) for item in value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, dtype, dims, data):
    """Elements as raw bytes, or as texts of a STRING tensor."""
    elements = field(6, data) if dtype == STRING else field(9, data)
    return field(1, list(dims)) + field(2, dtype) + elements + field(8, name)


def floats(name, dims, *values):
    return tensor(name, FLOAT, dims, struct.pack(f"<{len(values)}f", *values))


def ints(name, *values):
    return tensor(name, INT64, [len(values)], struct.pack(f"<{len(values)}q", *values))


def external(name, dims, **entries):
    pairs = [field(1, key) + field(2, str(value)) for key, value in entries.items()]
    return field(1, list(dims)) + field(2, FLOAT) + field(8, name) + field(13, pairs) + field(14, 1)


def attribute(name, value, reference=None):
    """The type follows from the value: int, float, text, list of ints; bytes are a graph."""
    if reference:
        return field(1, name) + field(21, reference) + field(20, 2)
    if isinstance(value, bytes):
        return field(1, name) + field(6, value) + field(20, 5)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    return field(1, name) + field(8, list(value)) + field(20, 7)


def node(op, inputs, outputs, name="", domain="", **attributes):
    parts = [value if isinstance(value, bytes) and value[:1] == b"\n" and key.startswith("raw_")
             else attribute(key, value) for key, value in attributes.items()]
    return (field(1, list(inputs)) + field(2, list(outputs)) + field(3, name) + field(4, op) +
            field(5, parts) + field(7, domain))


def sparse(name, dims, values, indices):
    """A SparseTensorProto; an index is an element's number, or a list with one for each axis."""
    shape = [len(indices)] + ([len(indices[0])] if isinstance(indices[0], list) else [])
    flat = [i for index in indices for i in (index if isinstance(index, list) else [index])]
    places = tensor("", INT64, shape, struct.pack(f"<{len(flat)}q", *flat))
    return (field(1, floats(name, [len(values)], *values)) + field(2, places) +
            field(3, [extent % (1 << 64) for extent in dims]))


def value_info(name, dtype=FLOAT, dims=None):
    """An extent is a number or a name; without `dims` nothing is said of the shape."""
    shape = b"" if dims is None else field(
        2, field(1, [field(1, d) if isinstance(d, int) else field(2, d) for d in dims]))
    return field(1, name) + field(2, field(1, field(1, dtype) + shape))


def sequence_info(name, dtype=FLOAT):
    return field(1, name) + field(2, field(4, field(1, field(1, field(1, dtype)))))


def graph(nodes, inputs=(), outputs=(), initializers=()):
    return (field(1, list(nodes)) + field(2, "g") + field(5, list(initializers)) +
            field(11, list(inputs)) + field(12, list(outputs)))


def function(domain, name, inputs, outputs, nodes, attributes=(), version=17):
    return (field(1, name) + field(4, list(inputs)) + field(5, list(outputs)) +
            field(6, list(attributes)) + field(7, list(nodes)) +
            field(9, field(1, "") + field(2, version)) + field(10, domain))


def model(graph_bytes, version=17, ir=8, domains=(), functions=()):
    imports = [field(1, "") + field(2, version)]
    imports += [field(1, domain) + field(2, 1) for domain in domains]
    return (field(1, ir) + field(7, graph_bytes) + field(8, imports) + field(25, list(functions)))
