// Rows of `inner` elements, chosen by indices along an axis of the source.
#version 450
#include "common.glsl"
#include "moved.glsl"
#include "whole_numbers.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 3) const bool WRAPS = false;
// Whether there is an index for each element of the target, or one for each row of it.
layout(constant_id = 5) const bool PICKS = false;
layout(push_constant) uniform Push {
    uint count;
    uint indices;
    uint inner;
    uint extent; // of the axis
};
layout(binding = 0) readonly buffer From { MOVED from[]; };
layout(binding = 2) writeonly buffer To { MOVED to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint row = i / inner;
    uint outer = PICKS ? row : row / indices;
    int number = whole_number(PICKS ? i : row - outer * indices);
    uint index = WRAPS ? wrapped(number, extent) : clipped(number, extent);
    to[i] = from[(outer * extent + index) * inner + (i - row * inner)];
}
