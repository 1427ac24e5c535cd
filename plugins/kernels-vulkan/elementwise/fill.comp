// One value in every element.
#version 450
#include "common.glsl"
#include "moved.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint low;
    uint high;
};
layout(binding = 0) writeonly buffer To { MOVED to[]; };

void main() {
    uint i = flat_invocation();
    if (i < count) {
        to[i] = MOVED_FROM_BITS(low, high);
    }
}
