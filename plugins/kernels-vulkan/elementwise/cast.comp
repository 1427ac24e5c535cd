// Elements of one dtype as those of another. -DFROM_SIZE, -DTO_SIZE: bytes of an element.
#version 450
#include "common.glsl"
#include "dtypes.glsl"
#if FROM_SIZE == 1 || TO_SIZE == 1
#extension GL_EXT_shader_8bit_storage : require
#endif
#if FROM_SIZE == 2 || TO_SIZE == 2
#extension GL_EXT_shader_16bit_storage : require
#endif
#if FROM_SIZE == 8 || TO_SIZE == 8
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#define WHOLE int64_t
#else
#define WHOLE int
#endif
#if FROM_SIZE == 1
#define FROM uint8_t
#elif FROM_SIZE == 2
#define FROM uint16_t
#elif FROM_SIZE == 4
#define FROM uint
#else
#define FROM int64_t
#endif
#if TO_SIZE == 1
#define TO uint8_t
#elif TO_SIZE == 2
#define TO uint16_t
#elif TO_SIZE == 4
#define TO uint
#else
#define TO int64_t
#endif
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint FROM_DTYPE = 0;
layout(constant_id = 1) const uint TO_DTYPE = 0;
layout(push_constant) uniform Push {
    uint count;
};
layout(binding = 0) readonly buffer From { FROM from[]; };
layout(binding = 1) buffer To { TO to[]; };

TO stored_real(float x) {
#if TO_SIZE == 8
    bool fits = x >= -9223372036854775808.0 && x < 9223372036854775808.0;
    return fits ? int64_t(x) : int64_t(1) << 63;
#else
    if (is_floating(TO_DTYPE)) {
        return TO(word_from_real(x, TO_DTYPE));
    }
    bool is_zero = !is_nan(x) && x == 0.0;
    return TO(TO_DTYPE == BOOL ? uint(!is_zero) : uint(truncated(x)));
#endif
}

TO stored_whole(WHOLE x) {
#if TO_SIZE == 8
    return x;
#else
    if (is_floating(TO_DTYPE)) {
        return TO(word_from_real(float(x), TO_DTYPE));
    }
    return TO(TO_DTYPE == BOOL ? uint(x != WHOLE(0)) : uint(x));
#endif
}

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
#if FROM_SIZE == 8
    to[i] = stored_whole(from[i]);
#else
    uint word = uint(from[i]);
    if (is_floating(FROM_DTYPE)) {
        to[i] = stored_real(real_from_word(word, FROM_DTYPE));
    } else {
        to[i] = stored_whole(WHOLE(whole_from_word(word, FROM_DTYPE)));
    }
#endif
}
