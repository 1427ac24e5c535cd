// Rows from one place to another, at any distance from each other.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint width;
    uint from_first;
    uint from_step;
    uint to_first;
    uint to_step;
};
layout(binding = 0) readonly buffer From { float from[]; };
layout(binding = 1) writeonly buffer To { float to[]; };

void main() {
    uint i = flat_invocation();
    if (i < count) {
        uint row = i / width, column = i % width;
        to[to_first + row * to_step + column] = from[from_first + row * from_step + column];
    }
}
