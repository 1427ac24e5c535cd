// What follows a product in a fused operator, over its result.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    float alpha;
    float beta;
};
layout(binding = 0) buffer Result { ELEMENT result[]; };
#define ADDEND_BINDING 1
#include "finish.glsl"

void main() {
    uint i = flat_invocation();
    if (i < count) {
        result[i] = ELEMENT(finished(float(result[i]), i));
    }
}
