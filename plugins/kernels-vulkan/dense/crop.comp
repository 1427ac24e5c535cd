// Cuts a part out of planes. Elements are copied as they are.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint source[2]; // height and width
    uint target[2];
    uint first[2]; // row and column
    uint count;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { ELEMENT to[]; };

void main() {
    uint i = flat_invocation();
    if (i < count) {
        uint row = i / target[1] / target[0] * source[0] + i / target[1] % target[0] + first[0];
        to[i] = from[row * source[1] + i % target[1] + first[1]];
    }
}
