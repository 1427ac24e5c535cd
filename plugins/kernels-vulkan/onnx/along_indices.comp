// Elements at the indices' own places, but for one axis, along which the index says the place.
// -DSCATTERS: they go there, otherwise they come from there.
#version 450
#include "common.glsl"
#include "moved.glsl"
#include "axes.glsl"
#include "whole_numbers.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint along; // the axis's extent in the tensor that the indices are into
    uint along_stride;
    uint extents[MAX_AXES]; // of the indices
    uint strides[MAX_AXES]; // in that tensor; 0 along the axis
};
layout(binding = 0) readonly buffer From { MOVED from[]; };
layout(binding = 2) writeonly buffer To { MOVED to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint rest = i;
    uint place = wrapped(whole_number(i), along) * along_stride;
    [[unroll]] for (uint k = 0; k < AXES; k++) {
        uint axis = AXES - 1 - k;
        place += take_index(rest, axis, extents[axis]) * strides[axis];
    }
#ifdef SCATTERS
    to[place] = from[i];
#else
    to[i] = from[place];
#endif
}
