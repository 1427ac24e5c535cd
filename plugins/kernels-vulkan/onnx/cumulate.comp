// Sums or products of what comes before along an axis; an invocation does a row.
#version 450
#include "common.glsl"
#include "elements.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 1) const uint DTYPE = 0;
layout(constant_id = 2) const bool MULTIPLIES = false;
layout(constant_id = 3) const bool EXCLUDES = false; // the element itself
layout(constant_id = 4) const bool REVERSES = false;
layout(push_constant) uniform Push {
    uint rows;
    uint extent;
    uint inner;
};
layout(binding = 0) readonly buffer From { STORED from[]; };
layout(binding = 1) writeonly buffer To { STORED to[]; };

uint place_of(uint row, uint step) {
    uint index = REVERSES ? extent - 1 - step : step;
    return (row / inner * extent + index) * inner + row % inner;
}

void main() {
    uint row = flat_invocation();
    if (row >= rows) {
        return;
    }
#if HAS_REALS
    if (is_floating(DTYPE)) {
        float total = MULTIPLIES ? 1.0 : 0.0;
        for (uint step = 0; step < extent; step++) {
            uint place = place_of(row, step);
            float before = total;
            float x = real_from_word(uint(from[place]), DTYPE);
            total = MULTIPLIES ? total * x : total + x;
            to[place] = STORED(word_from_real(EXCLUDES ? before : total, DTYPE));
        }
        return;
    }
#endif
    WHOLE total = WHOLE(MULTIPLIES ? 1 : 0);
    for (uint step = 0; step < extent; step++) {
        uint place = place_of(row, step);
        WHOLE before = total;
#if SIZE == 8
        WHOLE x = from[place];
#else
        WHOLE x = whole_from_word(uint(from[place]), DTYPE);
#endif
        total = MULTIPLIES ? total * x : total + x;
        to[place] = STORED(EXCLUDES ? before : total);
    }
}
