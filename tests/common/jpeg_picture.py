"""JPEG files, as small as can be: for tests of who reads them."""

import struct


def jpeg(height, width, channels, progressive=False):
    """A picture whose channels are 200 everywhere: the first block's code says so, and those of the
    others that nothing changes."""
    def segment(kind, data):
        return struct.pack(">BBH", 0xFF, kind, len(data) + 2) + data
    quantum = segment(0xDB, b"\0" + b"\x08" * 64)
    components = b"".join(bytes([i + 1, 0x11, 0]) for i in range(channels))
    frame = segment(0xC2 if progressive else 0xC0,
                    struct.pack(">BHHB", 8, height, width, channels) + components)
    one, two = bytes([1] + [0] * 15), bytes([0, 2] + [0] * 14)
    tables = segment(0xC4, b"\0" + two + b"\0\7") + segment(0xC4, b"\x10" + one + b"\0")
    scan = segment(0xDA, bytes([channels]) + b"".join(bytes([i + 1, 0]) for i in range(channels)) +
                   bytes([0, 0 if progressive else 63, 0]))
    end = "" if progressive else "0"  # of a block
    blocks = (height + 7) // 8 * ((width + 7) // 8)
    codes = "".join((("01" + "1001000" if i == 0 else "00") + end) * channels
                    for i in range(blocks))
    codes += "1" * (-len(codes) % 8)
    data = bytes(int(codes[i:i + 8], 2) for i in range(0, len(codes), 8))
    return (b"\xff\xd8" + quantum + frame + tables + scan + data.replace(b"\xff", b"\xff\0") +
            b"\xff\xd9")
