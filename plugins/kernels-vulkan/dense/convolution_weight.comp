// Brings the weights of a convolution into the order in which convolution_matrix.comp reads them:
// for each filter one element of the kernel after the other, all channels of it in blocks of 32, of
// which the last is filled up with zeros, as is the row, to whole parts of DEPTH terms.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;

layout(push_constant) uniform Push {
    uint rows;     // filters of all groups
    uint channels; // of a group
    uint elements; // of the kernel
    uint terms;    // of a row of the result
};

layout(binding = 0) readonly buffer Weight { ELEMENT weight[]; };
layout(binding = 1) writeonly buffer Packed { ELEMENT packed[]; };

void main() {
    uint index = flat_invocation();
    uint row = index / terms;
    if (row >= rows) {
        return;
    }
    uint padded_channels = (channels + 31) / 32 * 32;
    uint channel = index % terms % padded_channels;
    uint element = index % terms / padded_channels;
    float value = 0.0;
    if (channel < channels && element < elements) {
        value = float(weight[(row * channels + channel) * elements + element]);
    }
    packed[index] = ELEMENT(value);
}
