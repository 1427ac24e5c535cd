// Normalisation of rows whose elements are `inner` apart: to mean 0 and variance 1, with a gamma
// and beta for each element of a row (ELEMENTS) or for each row (ROWS), or to length 1 (LENGTH).
#version 450
#include "common.glsl"
#include "lanes.glsl"
layout(constant_id = 1) const uint FORM = 0;
layout(constant_id = 2) const bool WRITES_MOMENTS = false;
layout(constant_id = 3) const bool GIVES_INVERSE = false; // one over the deviation
#ifndef MOMENT
#define MOMENT ELEMENT
#endif
const uint ELEMENTS = 0, ROWS = 1, LENGTH = 2, CHANNELS = 3;

layout(push_constant) uniform Push {
    uint rows;
    uint extent;
    uint inner;
    uint vectors; // for ROWS and CHANNELS: how many gammas there are
    uint plane;   // for CHANNELS: elements of one
    float epsilon;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) readonly buffer Gamma { ELEMENT gamma[]; };
layout(binding = 2) readonly buffer Beta { ELEMENT beta[]; };
layout(binding = 3) writeonly buffer To { ELEMENT to[]; };
layout(binding = 4) writeonly buffer Mean { MOMENT means[]; };
layout(binding = 5) writeonly buffer Deviation { MOMENT deviations[]; };

float sum_of_squares(uint first, uint end, float centre) {
    Sum sum = Sum(0.0, 0.0, 0);
    for (uint i = lane(); i < end; i += LANES) {
        float difference = float(from[first + i * inner]) - centre;
        add_to(sum, difference * difference);
    }
    return lanes_sum(sum.whole + sum.part);
}

float mean_of(uint first, uint end) {
    Sum sum = Sum(0.0, 0.0, 0);
    for (uint i = lane(); i < end; i += LANES) {
        add_to(sum, float(from[first + i * inner]));
    }
    return lanes_sum(sum.whole + sum.part) / float(max(extent, 1));
}

void main() {
    uint row = lane_row();
    bool is_there = row < rows;
    uint first = row / inner * extent * inner + row % inner;
    uint end = is_there ? extent : 0;
    float centre = 0.0;
    float deviation;
    if (FORM == LENGTH) {
        deviation = sqrt(sum_of_squares(first, end, 0.0) + epsilon);
    } else {
        // Two passes: the variance about the mean keeps its digits when the mean is large.
        centre = mean_of(first, end);
        deviation = sqrt(sum_of_squares(first, end, centre) / float(max(extent, 1)) + epsilon);
    }
    for (uint i = lane(); i < end; i += LANES) {
        float value = (float(from[first + i * inner]) - centre) / deviation;
        if (FORM == ELEMENTS) {
            value = fma(value, float(gamma[i]), float(beta[i]));
        } else if (FORM == ROWS) {
            value = fma(value, float(gamma[row % vectors]), float(beta[row % vectors]));
        } else if (FORM == CHANNELS) {
            uint channel = (first + i) / plane % vectors;
            value = fma(value, float(gamma[channel]), float(beta[channel]));
        }
        to[first + i * inner] = ELEMENT(value);
    }
    if (WRITES_MOMENTS && is_there && lane() == 0) {
        means[row] = MOMENT(centre);
        deviations[row] = MOMENT(GIVES_INVERSE ? 1.0 / deviation : deviation);
    }
}
