// A function of two tensors that are stretched to one shape, element by element.
//
// With -DGIVES_BOOL the result is whether the function's is not 0.
//
// With -DLANES=4 the innermost axis is counted in fours: an operand is read in fours too, or, with
// -DLEFT_IS_ONE or -DRIGHT_IS_ONE, has one element for all four.
#version 450
#include "common.glsl"
#include "elements.glsl"
#include "axes.glsl"
#include "binary_words.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint extents[MAX_AXES];
    uint left_strides[MAX_AXES];
    uint right_strides[MAX_AXES];
};
#ifdef LEFT_IS_ONE
layout(binding = 0) readonly buffer Left { STORED left[]; };
#define LEFT_WORDS(i) WORDS(WORD(left[i]))
#else
layout(binding = 0) readonly buffer Left { STORED_LANES left[]; };
#define LEFT_WORDS(i) WORDS(left[i])
#endif
#ifdef RIGHT_IS_ONE
layout(binding = 1) readonly buffer Right { STORED right[]; };
#define RIGHT_WORDS(i) WORDS(WORD(right[i]))
#else
layout(binding = 1) readonly buffer Right { STORED_LANES right[]; };
#define RIGHT_WORDS(i) WORDS(right[i])
#endif
#ifdef GIVES_BOOL
#extension GL_EXT_shader_8bit_storage : require
layout(binding = 2) buffer To { uint8_t to[]; };
#define STORED_RESULT(x) uint8_t(uint((x) != WORD(0)))
#else
layout(binding = 2) buffer To { STORED_LANES to[]; };
#define STORED_RESULT(x) STORED(x)
#endif

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint rest = i, left_place = 0, right_place = 0;
    [[unroll]] for (uint k = 0; k < AXES; k++) {
        uint axis = AXES - 1 - k;
        uint index = take_index(rest, axis, extents[axis]);
        left_place += index * left_strides[axis];
        right_place += index * right_strides[axis];
    }
    WORDS a = LEFT_WORDS(left_place), b = RIGHT_WORDS(right_place);
#if LANES == 4
    WORDS result;
    [[unroll]] for (uint lane = 0; lane < 4; lane++) {
        result[lane] = apply(a[lane], b[lane]);
    }
    to[i] = STORED_LANES(result);
#else
    to[i] = STORED_RESULT(apply(a, b));
#endif
}
