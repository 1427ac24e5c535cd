// The mean and the variance of each channel of a batch, one workgroup for each, and the running ones
// that they are taken into.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint channels;
    uint samples;
    uint inner;
    float momentum;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) readonly buffer OldMean { float old_mean[]; };
layout(binding = 2) readonly buffer OldVariance { float old_variance[]; };
layout(binding = 3) writeonly buffer Mean { float mean[]; };
layout(binding = 4) writeonly buffer Variance { float variance[]; };
layout(binding = 5) writeonly buffer NewMean { float new_mean[]; };
layout(binding = 6) writeonly buffer NewVariance { float new_variance[]; };
shared float lanes[gl_WorkGroupSize.x];

float sum_of_lanes(float value) {
    uint lane = gl_LocalInvocationIndex;
    barrier();
    lanes[lane] = value;
    for (uint distance = gl_WorkGroupSize.x / 2; distance > 0; distance /= 2) {
        barrier();
        if (lane < distance) {
            lanes[lane] += lanes[lane + distance];
        }
    }
    barrier();
    return lanes[0];
}

float element(uint channel, uint i) {
    return float(from[(i / inner * channels + channel) * inner + i % inner]);
}

void main() {
    uint channel = flat_group(), count = samples * inner;
    bool is_there = channel < channels;
    float sum = 0.0, squares = 0.0;
    for (uint i = gl_LocalInvocationIndex; is_there && i < count; i += gl_WorkGroupSize.x) {
        sum += element(channel, i);
    }
    float middle = sum_of_lanes(sum) / float(count);
    for (uint i = gl_LocalInvocationIndex; is_there && i < count; i += gl_WorkGroupSize.x) {
        float distance = element(channel, i) - middle;
        squares = fma(distance, distance, squares);
    }
    float spread = sum_of_lanes(squares) / float(count);
    if (is_there && gl_LocalInvocationIndex == 0) {
        mean[channel] = middle;
        variance[channel] = spread;
        new_mean[channel] = mix(middle, old_mean[channel], momentum);
        new_variance[channel] = mix(spread, old_variance[channel], momentum);
    }
}
