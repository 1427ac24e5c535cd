// Doubles one element of a type that not every device computes with.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Element { TYPE element; };
void main() {
    element = element + element;
}
