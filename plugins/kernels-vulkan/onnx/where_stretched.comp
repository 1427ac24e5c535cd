// Chooses between two tensors by a bool, all stretched to one shape.
#version 450
#include "common.glsl"
#include "moved.glsl"
#extension GL_EXT_shader_8bit_storage : require
#define WHERE_AXES 6
layout(local_size_x = 256) in;
layout(constant_id = 2) const uint AXES = 1;
layout(push_constant) uniform Push {
    uint count;
    uint extents[WHERE_AXES];
    uint condition_strides[WHERE_AXES];
    uint chosen_strides[WHERE_AXES];
    uint other_strides[WHERE_AXES];
};
layout(binding = 0) readonly buffer Condition { uint8_t condition[]; };
layout(binding = 1) readonly buffer Chosen { MOVED chosen[]; };
layout(binding = 2) readonly buffer Other { MOVED other[]; };
layout(binding = 3) buffer To { MOVED to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint rest = i;
    uvec3 place = uvec3(0);
    [[unroll]] for (uint k = 0; k < AXES; k++) {
        uint axis = AXES - 1 - k;
        uint quotient = rest / extents[axis];
        place += (rest - quotient * extents[axis]) *
                 uvec3(condition_strides[axis], chosen_strides[axis], other_strides[axis]);
        rest = quotient;
    }
    if (uint(condition[place.x]) != 0) {
        to[i] = chosen[place.y];
    } else {
        to[i] = other[place.z];
    }
}
