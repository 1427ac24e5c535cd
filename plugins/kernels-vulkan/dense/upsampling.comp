// Repeats the elements of one input of UpSampling to the size of the output.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool ADDS = false; // to what other inputs left there
layout(push_constant) uniform Push {
    uint source[3]; // channels, height and width
    uint target[3];
    uint first_channel; // of the output that the input goes to
    uint count;         // of the elements that the input becomes
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) buffer To { ELEMENT to[]; };

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint x = i % target[2];
    uint y = i / target[2] % target[1];
    uint channel = i / target[2] / target[1] % source[0];
    uint part = i / target[2] / target[1] / source[0];
    uint column = x / (target[2] / source[2]);
    uint row = y / (target[1] / source[1]);
    float value =
        float(from[((part * source[0] + channel) * source[1] + row) * source[2] + column]);
    uint index =
        ((part * target[0] + first_channel + channel) * target[1] + y) * target[2] + x;
    to[index] = ELEMENT(ADDS ? float(to[index]) + value : value);
}
