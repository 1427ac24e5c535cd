// Elements that are moved as they are. -DSIZE: their bytes, 1, 2, 4, 8 or 16.
#if SIZE == 1
#extension GL_EXT_shader_8bit_storage : require
#define MOVED uint8_t
#define MOVED_FROM_BITS(low, high) uint8_t(low)
#elif SIZE == 2
#extension GL_EXT_shader_16bit_storage : require
#define MOVED uint16_t
#define MOVED_FROM_BITS(low, high) uint16_t(low)
#elif SIZE == 4
#define MOVED uint
#define MOVED_FROM_BITS(low, high) (low)
#elif SIZE == 8
#define MOVED uvec2
#define MOVED_FROM_BITS(low, high) uvec2(low, high)
#else
#define MOVED uvec4
#define MOVED_FROM_BITS(low, high) uvec4(low, high, low, high)
#endif
