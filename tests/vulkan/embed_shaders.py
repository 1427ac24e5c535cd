#!/usr/bin/env python3
"""Makes one C file of SPIR-V modules: embed_shaders.py OUTPUT.c NAME.spv…"""

import os
import struct
import sys


def main():
    output, *paths = sys.argv[1:]
    lines, rows = ['#include "shaders.h"', ""], []
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path, "rb") as file:
            data = file.read()
        words = struct.unpack("<%dI" % (len(data) // 4), data)
        lines.append("static const uint32_t words_%s[] = {" % name)
        lines += ["    %s," % ", ".join("0x%08xu" % word for word in words[i:i + 8])
                  for i in range(0, len(words), 8)]
        lines += ["};", ""]
        rows.append('    {"%s", words_%s, sizeof words_%s},' % (name, name, name))
    lines += ["const test_shader shader_list[] = {", *rows, "};",
              "const size_t shader_list_size = sizeof shader_list / sizeof shader_list[0];", ""]
    with open(output, "w", encoding="ascii") as file:
        file.write("\n".join(lines))


main()
