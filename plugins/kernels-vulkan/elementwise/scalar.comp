// A function of each element and one number.
#version 450
#include "common.glsl"
#include "elements.glsl"
#include "binary_words.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 2) const bool IS_LEFT = false; // the number is the first operand
layout(push_constant) uniform Push {
    uint count;
    uint scalar_low; // an element's bits
    uint scalar_high;
};
layout(binding = 0) readonly buffer From { STORED_LANES from[]; };
layout(binding = 1) buffer To { STORED_LANES to[]; };

WORD apply_scalar(WORD x) {
#if SIZE == 8
    WORD scalar = packInt2x32(ivec2(scalar_low, scalar_high));
#else
    WORD scalar = scalar_low;
#endif
    return apply(IS_LEFT ? scalar : x, IS_LEFT ? x : scalar);
}

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    WORDS x = WORDS(from[i]);
#if LANES == 4
    WORDS result;
    [[unroll]] for (uint lane = 0; lane < 4; lane++) {
        result[lane] = apply_scalar(x[lane]);
    }
    to[i] = STORED_LANES(result);
#else
    to[i] = STORED(apply_scalar(x));
#endif
}
