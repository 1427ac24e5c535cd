// Elements of every dtype as the numbers that functions compute with: float for the floating ones,
// int for integers and, in the variants for 64-bit elements, int64_t.
//
// -DSIZE: bytes of an element, 1, 2, 4 or 8. -DLANES=4: four elements at a time, of 2 or 4 bytes.
// An element is a WORD once it is loaded: its bits, in 32 of them or in 64.
#extension GL_EXT_control_flow_attributes : require
#if SIZE == 1
#extension GL_EXT_shader_8bit_storage : require
#elif SIZE == 2
#extension GL_EXT_shader_16bit_storage : require
#elif SIZE == 8
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
#define HAS_REALS (SIZE == 2 || SIZE == 4)
#ifndef LANES
#define LANES 1
#endif

#if SIZE == 8
#define WORD int64_t
#define WHOLE int64_t
#define STORED int64_t
#else
#define WORD uint
#define WHOLE int
#if SIZE == 1
#define STORED uint8_t
#elif SIZE == 2
#define STORED uint16_t
#else
#define STORED uint
#endif
#endif

// Several elements, loaded and as they are stored.
#if LANES == 4
#define WORDS uvec4
#if SIZE == 2
#define STORED_LANES u16vec4
#else
#define STORED_LANES uvec4
#endif
#else
#define WORDS WORD
#define STORED_LANES STORED
#endif

#include "dtypes.glsl"
