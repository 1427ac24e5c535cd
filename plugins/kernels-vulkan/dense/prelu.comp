// A slope for negative elements that hangs on the channel.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint inner;  // elements of a channel that follow one another
    uint slopes; // how many there are
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) readonly buffer Slope { ELEMENT slope[]; };
layout(binding = 2) writeonly buffer To { ELEMENT to[]; };

void main() {
    uint i = flat_invocation();
    if (i < count) {
        float x = float(from[i]);
        to[i] = ELEMENT(x < 0.0 ? x * float(slope[i / inner % slopes]) : x);
    }
}
