// Sequences of steps, each with a length of its own: masked, reversed, or only their last step.
#version 450
#include "common.glsl"
#include "moved.glsl"
#include "whole_numbers.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 3) const uint FUNCTION = 0;
const uint MASK = 0, REVERSE = 1, LAST = 2; // as in sequence.c
layout(constant_id = 5) const bool HAS_LENGTHS = false;
layout(push_constant) uniform Push {
    uint count;
    uint part; // elements of one step of one sequence
    uint steps;
    uint sequences;
    uint step_stride; // in parts, of the source
    uint sequence_stride;
    uint value_low; // in the place of masked elements
    uint value_high;
};
layout(binding = 0) readonly buffer From { MOVED from[]; };
layout(binding = 2) buffer To { MOVED to[]; };

uint length_of(uint sequence) {
    return HAS_LENGTHS ? uint(clamp(whole_number(sequence), 0, int(steps))) : steps;
}

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint number = i / part, within = i - number * part;
    if (FUNCTION == LAST) {
        uint step = max(length_of(number), 1u) - 1u;
        to[i] = from[(step * step_stride + number * sequence_stride) * part + within];
        return;
    }
    bool steps_are_outside = step_stride >= sequence_stride;
    uint outer = number / (steps_are_outside ? sequences : steps);
    uint inner = number - outer * (steps_are_outside ? sequences : steps);
    uint step = steps_are_outside ? outer : inner;
    uint sequence = steps_are_outside ? inner : outer;
    uint length = length_of(sequence);
    if (FUNCTION == REVERSE) {
        uint source = step < length ? length - 1 - step : step;
        to[i] = from[(source * step_stride + sequence * sequence_stride) * part + within];
    } else if (step < length) {
        to[i] = from[i];
    } else {
        to[i] = MOVED_FROM_BITS(value_low, value_high);
    }
}
