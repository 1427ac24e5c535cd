// Activation functions of each element by itself.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint FUNCTION = 0;
layout(push_constant) uniform Push {
    uint count;
    float slope;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { ELEMENT to[]; };

#include "activations.glsl"

void main() {
    uint i = flat_invocation();
    if (i < count) {
        to[i] = ELEMENT(activate(FUNCTION, float(from[i]), slope, 0.0));
    }
}
