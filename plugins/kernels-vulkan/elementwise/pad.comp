// The source with a margin before and after it along each axis.
#version 450
#include "common.glsl"
#include "moved.glsl"
#define MAX_PAD_AXES 6
layout(local_size_x = 256) in;
layout(constant_id = 2) const uint AXES = 1;
layout(constant_id = 3) const uint MODE = 0; // as pad.c counts them
layout(constant_id = 4) const bool HAS_VALUE = false; // a tensor holds what a margin does
const uint CONSTANT = 0, EDGE = 1, REFLECT = 2, WRAP = 3;
layout(push_constant) uniform Push {
    uint count;
    uint value_low;
    uint value_high;
    uint extents[MAX_PAD_AXES]; // of the target
    int before[MAX_PAD_AXES];
    uint inside[MAX_PAD_AXES]; // extents of the source
    uint strides[MAX_PAD_AXES];
};
layout(binding = 0) readonly buffer From { MOVED from[]; };
layout(binding = 1) writeonly buffer To { MOVED to[]; };
layout(binding = 2) readonly buffer Value { MOVED value[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint rest = i, source = 0;
    bool is_inside = true;
    [[unroll]] for (uint k = 0; k < AXES; k++) {
        uint axis = AXES - 1 - k;
        uint quotient = rest / extents[axis];
        int index = int(rest - quotient * extents[axis]) - before[axis];
        int last = int(inside[axis]) - 1;
        rest = quotient;
        is_inside = is_inside && index >= 0 && index <= last;
        if (MODE == REFLECT) {
            index = abs(index);
            index = index > last ? 2 * last - index : index;
        }
        if (MODE == WRAP && last >= 0) {
            int extent = last + 1; // the language leaves % of negative numbers open
            index = index < 0 ? last - (-1 - index) % extent : index % extent;
        }
        source += uint(clamp(index, 0, max(last, 0))) * strides[axis];
    }
    if (MODE != CONSTANT || is_inside) {
        to[i] = from[source];
    } else {
        to[i] = HAS_VALUE ? value[0] : MOVED_FROM_BITS(value_low, value_high);
    }
}
