// For each index a row with one value at the index and another elsewhere.
#version 450
#include "common.glsl"
#include "moved.glsl"
#include "whole_numbers.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint depth;
    uint on_low;
    uint on_high;
    uint off_low;
    uint off_high;
};
layout(binding = 0) writeonly buffer To { MOVED to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint row = i / depth;
    bool is_on = whole_number(row) == int(i - row * depth);
    to[i] = MOVED_FROM_BITS(is_on ? on_low : off_low, is_on ? on_high : off_high);
}
