// Each element between the four around its place in data. Places are fractions of integers: as
// floats they would lose the digits that the weights are made of.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint source[2]; // height and width
    uint target[2];
    uint count;
    uint align_corners;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { ELEMENT to[]; };

// A single element of the result shows the first one of data.
void find(uint axis, uint index, out uint low, out uint high, out float weight) {
    uint numerator = 0;
    uint denominator = 1;
    if (target[axis] > 1 && align_corners != 0) {
        numerator = index * (source[axis] - 1);
        denominator = target[axis] - 1;
    } else if (target[axis] > 1) { // (index + 1/2) * source / target - 1/2
        uint place = (2 * index + 1) * source[axis];
        numerator = place > target[axis] ? place - target[axis] : 0;
        denominator = 2 * target[axis];
    }
    low = min(numerator / denominator, source[axis] - 1);
    high = min(low + 1, source[axis] - 1);
    weight = float(numerator - low * denominator) / float(denominator);
}

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint top, bottom, left, right;
    float down, along;
    find(0, i / target[1] % target[0], top, bottom, down);
    find(1, i % target[1], left, right, along);
    uint plane = i / target[1] / target[0] * source[0] * source[1];
    float upper = (1.0 - along) * float(from[plane + top * source[1] + left]) +
                  along * float(from[plane + top * source[1] + right]);
    float lower = (1.0 - along) * float(from[plane + bottom * source[1] + left]) +
                  along * float(from[plane + bottom * source[1] + right]);
    to[i] = ELEMENT((1.0 - down) * upper + down * lower);
}
