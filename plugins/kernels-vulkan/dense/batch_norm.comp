// (data - mean) / sqrt(variance + epsilon) * gamma + beta, each channel with its own. The
// parameters are floats whatever the elements are, unless -DPARAMETER says otherwise.
#version 450
#include "common.glsl"
#ifndef PARAMETER
#define PARAMETER float
#endif
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool HAS_GAMMA = true;
layout(push_constant) uniform Push {
    uint count;
    uint channels;
    uint inner; // elements of a channel that follow one another
    float epsilon;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) readonly buffer Gamma { PARAMETER gamma[]; };
layout(binding = 2) readonly buffer Beta { PARAMETER beta[]; };
layout(binding = 3) readonly buffer Mean { PARAMETER mean[]; };
layout(binding = 4) readonly buffer Variance { PARAMETER variance[]; };
layout(binding = 5) writeonly buffer To { ELEMENT to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint channel = i / inner % channels;
    float scale = 1.0 / sqrt(float(variance[channel]) + epsilon);
    if (HAS_GAMMA) {
        scale *= float(gamma[channel]);
    }
    to[i] = ELEMENT(fma(float(from[i]) - float(mean[channel]), scale,
                        float(beta[channel])));
}
