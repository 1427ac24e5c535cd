// The sum of two to four tensors of one shape; with fewer the last ones are not read.
#version 450
#include "common.glsl"
#include "elements.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint TERMS = 4;
layout(constant_id = 1) const uint DTYPE = 0;
layout(push_constant) uniform Push {
    uint count;
};
layout(binding = 0) readonly buffer First { STORED_LANES first[]; };
layout(binding = 1) readonly buffer Second { STORED_LANES second[]; };
layout(binding = 2) readonly buffer Third { STORED_LANES third[]; };
layout(binding = 3) readonly buffer Fourth { STORED_LANES fourth[]; };
layout(binding = 4) buffer To { STORED_LANES to[]; };

uint sum_of(uint a, uint b, uint c, uint d) {
    if (is_floating(DTYPE)) {
        float sum = real_from_word(a, DTYPE) + real_from_word(b, DTYPE);
        sum = TERMS > 2 ? sum + real_from_word(c, DTYPE) : sum;
        sum = TERMS > 3 ? sum + real_from_word(d, DTYPE) : sum;
        return word_from_real(sum, DTYPE);
    }
    return a + b + (TERMS > 2 ? c : 0) + (TERMS > 3 ? d : 0); // the low bits are kept
}

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    WORDS a = WORDS(first[i]), b = WORDS(second[i]);
    WORDS c = TERMS > 2 ? WORDS(third[i]) : a, d = TERMS > 3 ? WORDS(fourth[i]) : a;
#if LANES == 4
    WORDS result;
    [[unroll]] for (uint lane = 0; lane < 4; lane++) {
        result[lane] = sum_of(a[lane], b[lane], c[lane], d[lane]);
    }
    to[i] = STORED_LANES(result);
#else
    to[i] = STORED(sum_of(a, b, c, d));
#endif
}
