// The statistics that a batch normalisation used, as outputs.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool RECIPROCAL = true; // 1 / deviation in place of the variance
layout(push_constant) uniform Push {
    uint channels;
    float epsilon;
};
layout(binding = 0) readonly buffer Mean { float mean[]; };
layout(binding = 1) readonly buffer Variance { float variance[]; };
layout(binding = 2) writeonly buffer ToMean { float to_mean[]; };
layout(binding = 3) writeonly buffer ToVariance { float to_variance[]; };

void main() {
    uint channel = flat_invocation();
    if (channel < channels) {
        to_mean[channel] = mean[channel];
        to_variance[channel] =
            RECIPROCAL ? 1.0 / sqrt(variance[channel] + epsilon) : variance[channel];
    }
}
