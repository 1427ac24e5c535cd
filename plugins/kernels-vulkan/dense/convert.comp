// Copies, or, with CONVERTS, makes one floating type of another.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint first; // of the elements read
    uint to_first;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { RESULT to[]; };

void main() {
    uint i = flat_invocation();
    if (i < count) {
#ifdef CONVERTS
        to[to_first + i] = RESULT(from[first + i]);
#else
        to[to_first + i] = from[first + i];
#endif
    }
}
