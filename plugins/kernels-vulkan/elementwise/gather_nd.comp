// Slices at points. Coordinates from the back are negative; those beyond are brought to the end.
#version 450
#include "common.glsl"
#include "moved.glsl"
#include "axes.glsl"
#include "whole_numbers.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint points;
    uint slice;
    uint extents[MAX_AXES];
};
layout(binding = 0) readonly buffer From { MOVED from[]; };
layout(binding = 2) writeonly buffer To { MOVED to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint point = i / slice, place = 0;
    [[unroll]] for (uint axis = 0; axis < AXES; axis++) {
        int coordinate = whole_number(axis * points + point);
        coordinate += coordinate < 0 ? int(extents[axis]) : 0;
        place = place * extents[axis] + clipped(coordinate, extents[axis]);
    }
    to[i] = from[place * slice + (i - point * slice)];
}
