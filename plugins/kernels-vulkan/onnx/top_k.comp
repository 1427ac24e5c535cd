// The first elements of an axis in order, and where they were. Of equal ones the first comes first;
// NaN counts as larger than every number.
#version 450
#include "common.glsl"
#include "elements.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 1) const uint DTYPE = 0;
layout(constant_id = 2) const bool LARGEST = true;
layout(push_constant) uniform Push {
    uint count;
    uint extent;
    uint inner;
    uint chosen; // elements that come out of a row
};
layout(binding = 0) readonly buffer From { STORED from[]; };
layout(binding = 1) writeonly buffer Values { STORED values[]; };
layout(binding = 2) writeonly buffer Indices { uvec2 indices[]; };

// Above 0 where the left one is greater, below 0 where it is less.
int compare(WORD left, WORD right) {
#if SIZE != 8
#if HAS_REALS
    if (is_floating(DTYPE)) {
        float a = real_from_word(left, DTYPE), b = real_from_word(right, DTYPE);
        if (is_nan(a) || is_nan(b)) {
            return int(is_nan(a)) - int(is_nan(b));
        }
        return int(a > b) - int(a < b);
    }
#endif
    int a = whole_from_word(left, DTYPE), b = whole_from_word(right, DTYPE);
#else
    int64_t a = left, b = right;
#endif
    return int(a > b) - int(a < b);
}

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint outer = i / inner / extent, own = i / inner % extent, column = i % inner;
    uint first = outer * extent * inner + column;
    WORD element = WORD(from[i]);
    uint rank = 0;
    for (uint k = 0; k < extent; k++) {
        int order = compare(WORD(from[first + k * inner]), element);
        order = LARGEST ? order : -order;
        rank += uint(order > 0 || (order == 0 && k < own));
    }
    if (rank < chosen) {
        uint place = (outer * chosen + rank) * inner + column;
        values[place] = from[i];
        indices[place] = uvec2(own, 0);
    }
}
