"""Makes one C file of SPIR-V modules, with what launching them needs to know of each.

Usage: embed_shaders.py MODULE.spv… SHADERS.c SHADERS.h

The bindings, the bytes of push constants and the size of a workgroup are read from the module, so
that no table has to be kept in step with the shaders.
"""

import os
import struct
import sys

OP_ENTRY_POINT, OP_EXECUTION_MODE = 15, 16
OP_TYPE_INT, OP_TYPE_FLOAT, OP_TYPE_VECTOR, OP_TYPE_ARRAY = 21, 22, 23, 28
OP_TYPE_STRUCT, OP_TYPE_POINTER, OP_CONSTANT, OP_VARIABLE = 30, 32, 43, 59
OP_DECORATE, OP_MEMBER_DECORATE = 71, 72
DECORATION_ARRAY_STRIDE, DECORATION_NON_WRITABLE, DECORATION_NON_READABLE = 6, 24, 25
DECORATION_BINDING, DECORATION_OFFSET = 33, 35
STORAGE_PUSH_CONSTANT, STORAGE_BUFFER = 9, 12
EXECUTION_MODE_LOCAL_SIZE = 17
ACCESS_READ, ACCESS_WRITE = 1, 2


def read_words(path):
    with open(path, "rb") as file:
        data = file.read()
    words = struct.unpack("<%dI" % (len(data) // 4), data)
    if words[0] != 0x07230203:
        sys.exit(path + ": not a SPIR-V module")
    return words


class Module:
    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.words = read_words(path)
        self.decorations = {}  # (id, decoration) -> operand
        self.members = {}  # (id, member, decoration) -> operand
        self.types = {}  # id -> (opcode, operands)
        self.constants = {}
        self.variables = []  # (pointer type, id, storage class)
        self.workgroup = (1, 1, 1)
        position = 5
        while position < len(self.words):
            count = self.words[position] >> 16
            self.take(self.words[position] & 0xFFFF, self.words[position + 1:position + count])
            position += count

    def take(self, opcode, operands):
        if opcode == OP_DECORATE:
            self.decorations[operands[0], operands[1]] = operands[2] if len(operands) > 2 else 1
        elif opcode == OP_MEMBER_DECORATE:
            key = operands[0], operands[1], operands[2]
            self.members[key] = operands[3] if len(operands) > 3 else 1
        elif OP_TYPE_INT <= opcode <= OP_TYPE_POINTER:
            self.types[operands[0]] = (opcode, operands[1:])
        elif opcode == OP_CONSTANT:
            self.constants[operands[1]] = operands[2]
        elif opcode == OP_VARIABLE:
            self.variables.append(operands[:3])
        elif opcode == OP_EXECUTION_MODE and operands[1] == EXECUTION_MODE_LOCAL_SIZE:
            self.workgroup = operands[2:5]

    def size_of(self, type_id):
        opcode, operands = self.types[type_id]
        if opcode in (OP_TYPE_INT, OP_TYPE_FLOAT):
            return operands[0] // 8
        if opcode == OP_TYPE_VECTOR:
            return operands[1] * self.size_of(operands[0])
        if opcode == OP_TYPE_ARRAY:
            stride = self.decorations[type_id, DECORATION_ARRAY_STRIDE]
            return self.constants[operands[1]] * stride
        if opcode == OP_TYPE_STRUCT:
            return max(self.members[type_id, i, DECORATION_OFFSET] + self.size_of(member)
                       for i, member in enumerate(operands))
        sys.exit("%s: a type of opcode %d among the push constants" % (self.name, opcode))

    def pointee(self, pointer):
        return self.types[pointer][1][1]

    def push_size(self):
        return sum(self.size_of(self.pointee(pointer)) for pointer, _, storage in self.variables
                   if storage == STORAGE_PUSH_CONSTANT)

    def access_of(self, pointer, variable):
        block = self.pointee(pointer)
        access = ACCESS_READ | ACCESS_WRITE
        for decoration, bit in ((DECORATION_NON_WRITABLE, ACCESS_WRITE),
                                (DECORATION_NON_READABLE, ACCESS_READ)):
            if (block, 0, decoration) in self.members or (variable, decoration) in self.decorations:
                access &= ~bit
        return access

    def accesses(self):
        found = {}
        for pointer, variable, storage in self.variables:
            if storage == STORAGE_BUFFER:
                binding = self.decorations[variable, DECORATION_BINDING]
                found[binding] = found.get(binding, 0) | self.access_of(pointer, variable)
        if sorted(found) != list(range(len(found))):
            sys.exit("%s: bindings %s leave gaps" % (self.name, sorted(found)))
        return [found[binding] for binding in sorted(found)]

    def source(self):
        lines = ["static const uint32_t %s_words[] = {" % self.name]
        for i in range(0, len(self.words), 8):
            lines.append("    %s," % ", ".join("0x%08xu" % word for word in self.words[i:i + 8]))
        access = self.accesses()
        lines += ["};",
                  "const shader_code shader_%s = {" % self.name,
                  '    "%s", %s_words, sizeof %s_words, %d, {%s}, %d, {%d, %d, %d}};' %
                  (self.name, self.name, self.name, len(access), ", ".join(map(str, access)),
                   self.push_size(), *self.workgroup), ""]
        return "\n".join(lines)


def main():
    *paths, source_path, header_path = sys.argv[1:]
    modules = sorted((Module(path) for path in paths), key=lambda module: module.name)
    for module in modules:
        if module.push_size() > 128 or len(module.accesses()) > 8:
            sys.exit(module.name + ": more than 128 bytes of push constants or 8 bindings")
    with open(header_path, "w", encoding="ascii") as header:
        header.write("/* Made by embed_shaders.py. */\n#include <program.h>\n\n")
        for module in modules:
            header.write("extern const shader_code shader_%s;\n" % module.name)
    with open(source_path, "w", encoding="ascii") as source:
        source.write("/* Made by embed_shaders.py. */\n#include <shader_code.h>\n\n")
        for module in modules:
            source.write(module.source() + "\n")


main()
