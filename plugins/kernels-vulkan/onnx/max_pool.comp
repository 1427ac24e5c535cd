// The maximum under a window at one place, a NaN if there is one, and the number in the data of the
// element that it is.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool COLUMN_MAJOR = false; // as indices count a plane's elements
layout(push_constant) uniform Push {
    int source[3];
    int target[3];
    int kernel[3];
    int stride[3];
    int dilate[3];
    int pad[3];
    int pad_behind[3];
    uint count;
    uint inner;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { ELEMENT to[]; };
layout(binding = 2) writeonly buffer Indices { uvec2 indices[]; };

void main() {
    uint index = flat_invocation();
    if (index >= count) {
        return;
    }
    ivec3 at = ivec3(index / target[2] / target[1] % target[0], index / target[2] % target[1],
                     index % target[2]);
    uint plane = index / target[2] / target[1] / target[0];
    ivec3 extents = ivec3(source[0], source[1], source[2]);
    ivec3 origin = at * ivec3(stride[0], stride[1], stride[2]) - ivec3(pad[0], pad[1], pad[2]);
    float best = uintBitsToFloat(0xff800000u); // minus infinity
    uint found = 0xffffffffu;
    for (int x = 0; x < kernel[0]; x++) {
        for (int y = 0; y < kernel[1]; y++) {
            for (int z = 0; z < kernel[2]; z++) {
                ivec3 position = origin + ivec3(x, y, z) * ivec3(dilate[0], dilate[1], dilate[2]);
                if (any(lessThan(position, ivec3(0))) ||
                    any(greaterThanEqual(position, extents))) {
                    continue;
                }
                uint first = plane * extents.x * extents.y * extents.z;
                uint place = (position.x * extents.y + position.y) * extents.z + position.z;
                float value = float(from[first + place]);
                if (found == 0xffffffffu || value > best || (is_nan(value) && !is_nan(best))) {
                    best = value;
                    found = first + (COLUMN_MAJOR ? (position.z * extents.y + position.y) *
                                                            extents.x + position.x
                                                  : place);
                }
            }
        }
    }
    to[index] = ELEMENT(best);
    indices[index] = uvec2(found, found == 0xffffffffu ? found : 0);
}
