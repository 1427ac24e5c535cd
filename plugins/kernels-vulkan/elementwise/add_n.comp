// The sum of one to four tensors of one shape; with fewer the last ones are not read. Of two-byte
// floats what further launches add to is kept in 32 bits, so that the sum is rounded once.
#version 450
#include "common.glsl"
#include "elements.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint TERMS = 4;
layout(constant_id = 1) const uint DTYPE = 0;
layout(constant_id = 2) const uint PARTIAL = 0; // bits: KEEPS, RESUMES
const uint KEEPS = 1, RESUMES = 2;
layout(push_constant) uniform Push {
    uint count;
};
layout(binding = 0) readonly buffer First { STORED_LANES first[]; };
layout(binding = 1) readonly buffer Second { STORED_LANES second[]; };
layout(binding = 2) readonly buffer Third { STORED_LANES third[]; };
layout(binding = 3) readonly buffer Fourth { STORED_LANES fourth[]; };
layout(binding = 4) buffer To { STORED_LANES to[]; };

#if SIZE == 2
#if LANES == 4
#define REALS vec4
#else
#define REALS float
#endif
layout(binding = 5) buffer Partial { REALS partial[]; };
#endif

float real_sum(float before, uint a, uint b, uint c, uint d) {
    float sum = real_from_word(a, DTYPE);
    sum = (PARTIAL & RESUMES) != 0 ? before + sum : sum;
    sum = TERMS > 1 ? sum + real_from_word(b, DTYPE) : sum;
    sum = TERMS > 2 ? sum + real_from_word(c, DTYPE) : sum;
    return TERMS > 3 ? sum + real_from_word(d, DTYPE) : sum;
}

uint sum_of(float before, uint a, uint b, uint c, uint d) {
    if (is_floating(DTYPE)) {
        return word_from_real(real_sum(before, a, b, c, d), DTYPE);
    }
    a += TERMS > 1 ? b : 0; // the low bits are kept
    return a + (TERMS > 2 ? c : 0) + (TERMS > 3 ? d : 0);
}

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    WORDS a = WORDS(first[i]), b = TERMS > 1 ? WORDS(second[i]) : a;
    WORDS c = TERMS > 2 ? WORDS(third[i]) : a, d = TERMS > 3 ? WORDS(fourth[i]) : a;
#if SIZE == 2
    REALS before = REALS(0.0);
    if ((PARTIAL & RESUMES) != 0) {
        before = partial[i];
    }
    if ((PARTIAL & KEEPS) != 0) {
#if LANES == 4
        [[unroll]] for (uint lane = 0; lane < 4; lane++) {
            before[lane] = real_sum(before[lane], a[lane], b[lane], c[lane], d[lane]);
        }
        partial[i] = before;
#else
        partial[i] = real_sum(before, a, b, c, d);
#endif
        return;
    }
#elif LANES == 4
    vec4 before = vec4(0.0);
#else
    float before = 0.0;
#endif
#if LANES == 4
    WORDS result;
    [[unroll]] for (uint lane = 0; lane < 4; lane++) {
        result[lane] = sum_of(before[lane], a[lane], b[lane], c[lane], d[lane]);
    }
    to[i] = STORED_LANES(result);
#else
    to[i] = STORED(sum_of(before, a, b, c, d));
#endif
}
