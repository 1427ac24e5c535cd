// Updates that are put together with what is there. One invocation does all that may go to the same
// elements, one after the other: a line along the axis that the indices are of, or, with -DPOINTS,
// one element of all slices.
#version 450
#include "common.glsl"
#include "axes.glsl"
#include "whole_numbers.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 5) const uint REDUCTION = 1;
const uint ADD = 1, MULTIPLY = 2, MAXIMUM = 3;
#ifdef POINTS
layout(push_constant) uniform Push {
    uint slice;
    uint points;
    uint extents[MAX_AXES];
};
#else
layout(push_constant) uniform Push {
    uint lines;
    uint steps; // indices of a line
    uint step_stride;
    uint along; // the axis's extent in the data
    uint along_stride;
    uint extents[MAX_AXES]; // of the lines
    uint strides[MAX_AXES]; // in the data
    uint own_strides[MAX_AXES]; // in the indices
};
#endif
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 2) buffer To { ELEMENT to[]; };

void put(uint place, float update) {
    float old = float(to[place]), value;
    switch (REDUCTION) {
    case ADD: value = old + update; break;
    case MULTIPLY: value = old * update; break;
    case MAXIMUM: value = update > old || is_nan(update) ? update : old; break;
    default: value = update < old || is_nan(update) ? update : old; break;
    }
    to[place] = ELEMENT(value);
}

#ifdef POINTS
void main() {
    uint element = flat_invocation();
    if (element >= slice) {
        return;
    }
    for (uint point = 0; point < points; point++) {
        uint place = 0;
        [[unroll]] for (uint axis = 0; axis < AXES; axis++) {
            int coordinate = whole_number(point * AXES + axis);
            coordinate += coordinate < 0 ? int(extents[axis]) : 0;
            place = place * extents[axis] + clipped(coordinate, extents[axis]);
        }
        put(place * slice + element, float(from[point * slice + element]));
    }
}
#else
void main() {
    uint line = flat_invocation();
    if (line >= lines) {
        return;
    }
    uint rest = line, place = 0, own = 0;
    [[unroll]] for (uint k = 0; k < AXES; k++) {
        uint axis = AXES - 1 - k;
        uint index = take_index(rest, axis, extents[axis]);
        place += index * strides[axis];
        own += index * own_strides[axis];
    }
    for (uint step = 0; step < steps; step++) {
        uint at = own + step * step_stride;
        put(place + wrapped(whole_number(at), along) * along_stride, float(from[at]));
    }
}
#endif
