// start + n * step, each number `repeat` times.
#version 450
#include "common.glsl"
#include "elements.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 1) const uint DTYPE = 0;
layout(push_constant) uniform Push {
    uint count;
    uint repeat;
    uint start_low; // a float or an integer
    uint start_high;
    uint step_low;
    uint step_high;
};
layout(binding = 0) writeonly buffer To { STORED to[]; };

WORD number(uint n) {
#if SIZE == 8
    return packInt2x32(ivec2(start_low, start_high)) +
           int64_t(n) * packInt2x32(ivec2(step_low, step_high));
#else
#if HAS_REALS
    if (is_floating(DTYPE)) {
        precise float distance = float(n) * uintBitsToFloat(step_low);
        precise float sum = uintBitsToFloat(start_low) + distance;
        return word_from_real(sum, DTYPE);
    }
#endif
    return word_from_whole(int(start_low + n * step_low), DTYPE);
#endif
}

void main() {
    uint i = flat_invocation();
    if (i < count) {
        to[i] = STORED(number(i / repeat));
    }
}
