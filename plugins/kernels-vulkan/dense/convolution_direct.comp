// A convolution with one invocation for each result: for groups with few channels or filters, which
// have no use for a matrix product.
#version 450
#include "common.glsl"
#include "convolution.glsl"
layout(local_size_x = 256) in;

void main() {
    uint index = flat_invocation();
    uint column = index % columns;
    uint filter_ = index / columns % filters;
    uint group = index / columns / filters;
    if (group >= groups) {
        return;
    }
    Place place = place_of(column, group);
    float sum = 0.0;
    for (uint channel = 0; channel < channels; channel++) {
        for (uint element = 0; element < KERNEL_COUNT; element++) {
            sum = fma(weight_at(group, filter_, channel, element),
                      data_at(place, channel, kernel_place(element)), sum);
        }
    }
    store_result(group, filter_, column, sum);
}
