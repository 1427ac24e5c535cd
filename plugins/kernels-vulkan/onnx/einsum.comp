// Products of elements of one or two operands, summed over the axes that the output does not have.
#version 450
#include "common.glsl"
#define OUTER_AXES 6
#define INNER_AXES 3
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint OUTER = 1;
layout(constant_id = 1) const uint INNER = 1;
layout(constant_id = 2) const bool HAS_RIGHT = false;
layout(push_constant) uniform Push {
    uint count;
    uint terms;
    uint outer[OUTER_AXES]; // extents of the output
    uint outer_left[OUTER_AXES]; // strides
    uint outer_right[OUTER_AXES];
    uint inner[INNER_AXES];
    uint inner_left[INNER_AXES];
    uint inner_right[INNER_AXES];
};
layout(binding = 0) readonly buffer Left { ELEMENT left[]; };
layout(binding = 1) readonly buffer Right { ELEMENT right[]; };
layout(binding = 2) writeonly buffer To { ELEMENT to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint rest = i, first_left = 0, first_right = 0;
    [[unroll]] for (uint k = 0; k < OUTER; k++) {
        uint axis = OUTER - 1 - k, index = rest % outer[axis];
        rest /= outer[axis];
        first_left += index * outer_left[axis];
        first_right += index * outer_right[axis];
    }
    float sum = 0.0;
    for (uint term = 0; term < terms; term++) {
        uint at_left = first_left, at_right = first_right;
        rest = term;
        [[unroll]] for (uint k = 0; k < INNER; k++) {
            uint axis = INNER - 1 - k, index = rest;
            if (axis > 0) {
                index = rest % inner[axis];
                rest /= inner[axis];
            }
            at_left += index * inner_left[axis];
            at_right += index * inner_right[axis];
        }
        float factor = HAS_RIGHT ? float(right[at_right]) : 1.0;
        sum = fma(float(left[at_left]), factor, sum);
    }
    to[i] = ELEMENT(sum);
}
