// A function of each element, with up to two parameters.
#version 450
#include "common.glsl"
#include "elements.glsl"
#include "unary_functions.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint FUNCTION = 0;
layout(constant_id = 1) const uint DTYPE = 0;
layout(push_constant) uniform Push {
    uint count;
    uint first_low; // of the type that is computed with
    uint first_high;
    uint second_low;
    uint second_high;
};
layout(binding = 0) readonly buffer From { STORED_LANES from[]; };
layout(binding = 1) buffer To { STORED_LANES to[]; };

WORD apply(WORD x) {
#if SIZE == 8
    return apply_to_whole(FUNCTION, x, packInt2x32(ivec2(first_low, first_high)),
                          packInt2x32(ivec2(second_low, second_high)));
#else
#if HAS_REALS
    if (is_floating(DTYPE)) {
        return word_from_real(apply_to_real(FUNCTION, real_from_word(x, DTYPE),
                                            uintBitsToFloat(first_low),
                                            uintBitsToFloat(second_low)),
                              DTYPE);
    }
#endif
    return word_from_whole(
        apply_to_whole(FUNCTION, whole_from_word(x, DTYPE), int(first_low), int(second_low)),
        DTYPE);
#endif
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
        result[lane] = apply(x[lane]);
    }
    to[i] = STORED_LANES(result);
#else
    to[i] = STORED(apply(x));
#endif
}
