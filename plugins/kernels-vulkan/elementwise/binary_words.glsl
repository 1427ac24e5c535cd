// One function of two numbers, for elements as they are loaded.
#include "binary_functions.glsl"
layout(constant_id = 0) const uint FUNCTION = 0;
layout(constant_id = 1) const uint DTYPE = 0;

WORD apply(WORD a, WORD b) {
#if SIZE == 8
    return apply_to_wholes(FUNCTION, a, b);
#else
#if HAS_REALS
    if (is_floating(DTYPE)) {
        return word_from_real(
            apply_to_reals(FUNCTION, real_from_word(a, DTYPE), real_from_word(b, DTYPE)), DTYPE);
    }
#endif
    return word_from_whole(
        apply_to_wholes(FUNCTION, whole_from_word(a, DTYPE), whole_from_word(b, DTYPE)), DTYPE);
#endif
}
