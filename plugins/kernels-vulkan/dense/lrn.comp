// Local response normalisation: each element over a power of the mean square of its neighbours in
// the channels around it.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
    uint count;
    uint channels;
    uint plane; // elements of a channel
    uint reach; // how many channels on either side
    float weight;
    float beta;
    float knorm;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { ELEMENT to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint channel = i / plane % channels;
    uint behind = min(reach, channel);
    uint ahead = min(reach, channels - 1 - channel);
    float sum = 0.0;
    for (uint k = 0; k <= behind + ahead; k++) {
        float value = float(from[i - behind * plane + k * plane]);
        sum = fma(value, value, sum);
    }
    float divisor = fma(weight, sum, knorm);
    to[i] = ELEMENT(float(from[i]) * exponential(-beta * natural_logarithm(divisor)));
}
