// What follows a convolution in fused_convolution, over its result: a sum and an activation.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint FUNCTION = 0;
layout(constant_id = 1) const bool HAS_ADDEND = false;
layout(push_constant) uniform Push {
    uint count;
    float alpha;
    float beta;
};
layout(binding = 0) readonly buffer Addend { ELEMENT addend[]; };
layout(binding = 1) buffer Result { ELEMENT result[]; };

#include "activations.glsl"

void main() {
    uint i = flat_invocation();
    if (i < count) {
        float x = float(result[i]);
        if (HAS_ADDEND) {
            x += float(addend[i]);
        }
        result[i] = ELEMENT(activate(FUNCTION, x, alpha, beta));
    }
}
