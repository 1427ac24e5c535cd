// Pooling: LANES invocations put together the elements under the window at one place.
#version 450
#include "common.glsl"
#include "lanes.glsl"
layout(constant_id = 1) const uint REDUCTION = 0;
layout(constant_id = 2) const uint FINISH = 0;
const uint MAXIMUM = 0, SUM = 1, SQUARES = 2, CUBES = 3, MAGNITUDES = 4;
// What becomes of a sum: an average over the elements, over the elements and the padding, or over
// the whole kernel; of a maximum: one with the zeros of the padding.
const uint AS_IT_IS = 0, OVER_ELEMENTS = 1, OVER_PADDED = 2, OVER_KERNEL = 3, WITH_PADDING = 4;

layout(push_constant) uniform Push {
    int source[3];
    int target[3];
    int kernel[3];
    int stride[3];
    int dilate[3];
    int pad[3];
    int pad_behind[3];
    uint count; // places of all channels
    uint inner; // channels that lie side by side: 1, or all of them when they are last
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { ELEMENT to[]; };

float cube_root(float x) {
    if (x == 0.0 || is_nan(x)) {
        return x;
    }
    float root = exponential(natural_logarithm(abs(x)) / 3.0);
    root -= (root * root * root - abs(x)) / (3.0 * root * root);
    return x < 0.0 ? -root : root;
}

void main() {
    uint index = lane_row();
    bool is_there = index < count;
    uint place = index / inner;
    ivec3 at = ivec3(place / target[2] / target[1] % target[0], place / target[2] % target[1],
                     place % target[2]);
    uint plane = place / target[2] / target[1] / target[0];
    ivec3 extents = ivec3(source[0], source[1], source[2]);
    ivec3 sizes = ivec3(kernel[0], kernel[1], kernel[2]);
    ivec3 origin = at * ivec3(stride[0], stride[1], stride[2]) - ivec3(pad[0], pad[1], pad[2]);
    ivec3 gaps = ivec3(dilate[0], dilate[1], dilate[2]);
    // Of the window's elements, those that are within the data, and those within the padding too.
    ivec3 begin = (max(-origin, ivec3(0)) + gaps - 1) / gaps;
    ivec3 inside_end = (max(extents - origin, ivec3(0)) + gaps - 1) / gaps;
    ivec3 covered = max(min(sizes, inside_end) - begin, ivec3(0));
    uint elements = is_there ? uint(covered.x * covered.y * covered.z) : 0;
    float sum = REDUCTION == MAXIMUM ? uintBitsToFloat(0xff800000u) : 0.0;
    for (uint i = lane(); i < elements; i += LANES) {
        ivec3 shift = ivec3(i / covered.z / covered.y, i / covered.z % covered.y, i % covered.z);
        ivec3 position = origin + (begin + shift) * gaps;
        uint row = (plane * extents.x + position.x) * extents.y + position.y;
        float value = float(from[(row * extents.z + position.z) * inner + index % inner]);
        switch (REDUCTION) {
        case MAXIMUM: sum = value > sum ? value : sum; break;
        case SUM: sum += value; break;
        case MAGNITUDES: sum += abs(value); break;
        case SQUARES: sum = fma(value, value, sum); break;
        default: sum = fma(value * value, value, sum); break;
        }
    }
    sum = REDUCTION == MAXIMUM ? lanes_max(sum) : lanes_sum(sum);
    ivec3 behind = ivec3(pad_behind[0], pad_behind[1], pad_behind[2]);
    ivec3 padded_end = (max(extents + behind - origin, ivec3(0)) + gaps - 1) / gaps;
    vec3 padded = vec3(min(sizes, padded_end));
    vec3 inside = vec3(covered);
    if (REDUCTION == SQUARES) {
        sum = sqrt(sum);
    } else if (REDUCTION == CUBES) {
        sum = cube_root(sum);
    } else if (FINISH == OVER_ELEMENTS) {
        sum /= max(inside.x * inside.y * inside.z, 1.0);
    } else if (FINISH == OVER_PADDED) {
        sum /= max(padded.x * padded.y * padded.z, 1.0);
    } else if (FINISH == OVER_KERNEL) {
        sum /= float(sizes.x) * float(sizes.y) * float(sizes.z);
    } else if (FINISH == WITH_PADDING &&
               padded.x * padded.y * padded.z > inside.x * inside.y * inside.z) {
        sum = sum < 0.0 ? 0.0 : sum;
    }
    if (is_there && lane() == 0) {
        to[index] = ELEMENT(sum);
    }
}
