// One number in all elements.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    float value;
};
layout(binding = 0) writeonly buffer To { ELEMENT to[]; };

void main() {
    uint i = flat_invocation();
    if (i < count) {
        to[i] = ELEMENT(value);
    }
}
