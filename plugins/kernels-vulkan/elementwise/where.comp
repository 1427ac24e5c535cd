// Chooses between two tensors by a condition for each row of `row` elements.
// -DCONDITION_SIZE: bytes of an element of the condition.
#version 450
#include "common.glsl"
#include "moved.glsl"
#if CONDITION_SIZE == 1
#extension GL_EXT_shader_8bit_storage : require
#define CONDITION uint8_t
#define CONDITION_BITS(x) uvec2(x, 0)
#elif CONDITION_SIZE == 2
#extension GL_EXT_shader_16bit_storage : require
#define CONDITION uint16_t
#define CONDITION_BITS(x) uvec2(x, 0)
#elif CONDITION_SIZE == 4
#define CONDITION uint
#define CONDITION_BITS(x) uvec2(x, 0)
#else
#define CONDITION uvec2
#define CONDITION_BITS(x) (x)
#endif
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint row;
    uint low_mask; // the bits that tell whether it is 0: all but a float's sign
    uint high_mask;
};
layout(binding = 0) readonly buffer Condition { CONDITION condition[]; };
layout(binding = 1) readonly buffer Chosen { MOVED chosen[]; };
layout(binding = 2) readonly buffer Other { MOVED other[]; };
layout(binding = 3) buffer To { MOVED to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uvec2 bits = CONDITION_BITS(condition[i / row]);
    if (((bits.x & low_mask) | (bits.y & high_mask)) != 0) {
        to[i] = chosen[i];
    } else {
        to[i] = other[i];
    }
}
