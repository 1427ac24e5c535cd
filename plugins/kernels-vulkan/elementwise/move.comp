// Copies elements from places at regular strides to others.
#version 450
#include "common.glsl"
#include "moved.glsl"
#include "axes.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint from_place;
    uint to_place;
    uint extents[MAX_AXES];
    int from_strides[MAX_AXES];
    int to_strides[MAX_AXES];
};
layout(binding = 0) readonly buffer From { MOVED from[]; };
layout(binding = 1) writeonly buffer To { MOVED to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint rest = i;
    int source = int(from_place), target = int(to_place);
    [[unroll]] for (uint k = 0; k < AXES; k++) {
        uint axis = AXES - 1 - k;
        int index = int(take_index(rest, axis, extents[axis]));
        source += index * from_strides[axis];
        target += index * to_strides[axis];
    }
    to[target] = from[source];
}
