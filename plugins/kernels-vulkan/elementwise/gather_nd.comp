// Slices at points, or, with -DSCATTERS, slices that go to points. Points come in batches, each with
// its own part of the tensor that they are in. Coordinates from the back are negative; those beyond are brought to the end.
#version 450
#include "common.glsl"
#include "moved.glsl"
#include "axes.glsl"
#include "whole_numbers.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint point_step; // from one point's coordinate to the next point's
    uint axis_step;  // from one coordinate to the next
    uint batch_points;
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
    uint point = i / slice, place = point / batch_points;
    [[unroll]] for (uint axis = 0; axis < AXES; axis++) {
        int coordinate = whole_number(axis * axis_step + point * point_step);
        coordinate += coordinate < 0 ? int(extents[axis]) : 0;
        place = place * extents[axis] + clipped(coordinate, extents[axis]);
    }
#ifdef SCATTERS
    to[place * slice + (i - point * slice)] = from[i];
#else
    to[i] = from[place * slice + (i - point * slice)];
#endif
}
