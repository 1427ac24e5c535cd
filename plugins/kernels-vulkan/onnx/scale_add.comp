// alpha * result + beta * added, which is stretched to the result's rows and columns.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool HAS_ADDED = true;
layout(push_constant) uniform Push {
    uint count;
    uint columns;
    uint row_stride;
    uint column_stride;
    float alpha;
    float beta;
};
layout(binding = 0) readonly buffer Added { ELEMENT added[]; };
layout(binding = 1) buffer Result { ELEMENT result[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    float sum = alpha * float(result[i]);
    if (HAS_ADDED) {
        sum = fma(beta, float(added[i / columns * row_stride + i % columns * column_stride]), sum);
    }
    result[i] = ELEMENT(sum);
}
