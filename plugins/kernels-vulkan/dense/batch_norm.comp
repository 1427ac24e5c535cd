// (data - mean) / sqrt(variance + epsilon) * gamma + beta, each channel with its own. The
// parameters are floats whatever the elements are.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool HAS_GAMMA = true;
layout(push_constant) uniform Push {
    uint count;
    uint channels;
    uint inner; // elements of a channel that follow one another
    float epsilon;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) readonly buffer Gamma { float gamma[]; };
layout(binding = 2) readonly buffer Beta { float beta[]; };
layout(binding = 3) readonly buffer Mean { float mean[]; };
layout(binding = 4) readonly buffer Variance { float variance[]; };
layout(binding = 5) writeonly buffer To { ELEMENT to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint channel = i / inner % channels;
    float scale = 1.0 / sqrt(variance[channel] + epsilon);
    if (HAS_GAMMA) {
        scale *= gamma[channel];
    }
    to[i] = ELEMENT(fma(float(from[i]) - mean[channel], scale, beta[channel]));
}
