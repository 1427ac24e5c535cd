// The softmax of rows whose elements are `inner` apart; the elements are divided by `divisor`
// first. The largest quotient is taken off before the exponential, so that nothing overflows.
#version 450
#include "common.glsl"
#include "lanes.glsl"
layout(constant_id = 1) const bool LOGARITHMIC = false;
// What `length` holds: 0 nothing, 1 floats, 2 integers.
layout(constant_id = 2) const uint LENGTHS = 0;

layout(push_constant) uniform Push {
    uint rows;
    uint extent;
    uint inner;
    float divisor;
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) readonly buffer Length { uint length_bits[]; };
layout(binding = 2) writeonly buffer To { RESULT to[]; };

uint length_of(uint row) {
    if (LENGTHS == 1) {
        float given = uintBitsToFloat(length_bits[row]);
        return given >= float(extent) ? extent : given >= 1.0 ? uint(given) : 0;
    }
    if (LENGTHS == 2) {
        return uint(clamp(int(length_bits[row]), 0, int(extent)));
    }
    return extent;
}

void main() {
    uint row = lane_row();
    bool is_there = row < rows;
    uint first = row / inner * extent * inner + row % inner;
    uint counted = is_there ? length_of(row) : 0;
    float way = divisor < 0.0 ? -1.0 : 1.0;
    float peak = uintBitsToFloat(0xff800000u); // of the elements, or of the negated ones
    for (uint i = lane(); i < counted; i += LANES) {
        float value = way * float(from[first + i * inner]);
        peak = value > peak ? value : peak;
    }
    peak = way * lanes_max(peak);
    Sum powers = Sum(0.0, 0.0, 0);
    for (uint i = lane(); i < counted; i += LANES) {
        add_to(powers, exponential((float(from[first + i * inner]) - peak) / divisor));
    }
    float sum = lanes_sum(powers.whole + powers.part);
    float total = LOGARITHMIC ? natural_logarithm(sum) : 1.0 / sum;
    for (uint i = lane(); i < counted; i += LANES) {
        float power = (float(from[first + i * inner]) - peak) / divisor;
        to[first + i * inner] =
            RESULT(LOGARITHMIC ? power - total : exponential(power) * total);
    }
    for (uint i = counted + lane(); is_there && i < extent; i += LANES) {
        to[first + i * inner] = RESULT(0.0);
    }
}
