// The averages of the parts that the height and width are divided into. LANES invocations share
// one.
#version 450
#include "common.glsl"
#include "lanes.glsl"
layout(push_constant) uniform Push {
    uint source[2]; // height and width
    uint target[2];
    uint count;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { ELEMENT to[]; };

// The extent is divided first so that nothing overflows.
uint part_begin(uint axis, uint part) {
    return source[axis] / target[axis] * part + source[axis] % target[axis] * part / target[axis];
}

uint part_end(uint axis, uint part) {
    return source[axis] / target[axis] * (part + 1) +
           (source[axis] % target[axis] * (part + 1) + target[axis] - 1) / target[axis];
}

void main() {
    uint index = lane_row();
    bool is_there = index < count;
    uint column = index % target[1];
    uint row = index / target[1] % target[0];
    uint plane = index / target[1] / target[0] * source[0] * source[1];
    uint top = part_begin(0, row);
    uint left = part_begin(1, column);
    uint height = part_end(0, row) - top;
    uint width = part_end(1, column) - left;
    float sum = 0.0;
    for (uint i = lane(); is_there && i < height * width; i += LANES) {
        sum += float(from[plane + (top + i / width) * source[1] + left + i % width]);
    }
    sum = lanes_sum(sum);
    if (is_there && lane() == 0) {
        to[index] = ELEMENT(sum / float(max(height * width, 1)));
    }
}
