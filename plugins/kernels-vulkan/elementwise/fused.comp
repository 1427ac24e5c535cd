// A chain of functions in one go: what fused_elementwise's program says, step by step. The steps
// are specialization constants, so that a pipeline holds only the functions that it uses.
//
// A step is its function and up to three operands of a byte each, see fused.c.
#version 450
#include "common.glsl"
#include "elements.glsl"
#include "unary_functions.glsl"
#include "binary_functions.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint DTYPE = 0;
layout(constant_id = 1) const uint STEPS = 0;
layout(constant_id = 2) const uint WHOLE_INPUTS = 0; // a bit for each that is not stretched
layout(constant_id = 3) const uint STEP_0 = 0;
layout(constant_id = 4) const uint STEP_1 = 0;
layout(constant_id = 5) const uint STEP_2 = 0;
layout(constant_id = 6) const uint STEP_3 = 0;
layout(constant_id = 7) const uint STEP_4 = 0;
layout(constant_id = 8) const uint STEP_5 = 0;
layout(constant_id = 9) const uint STEP_6 = 0;
layout(constant_id = 10) const uint STEP_7 = 0;
layout(constant_id = 11) const uint STEP_8 = 0;
layout(constant_id = 12) const uint STEP_9 = 0;
layout(constant_id = 13) const uint STEP_10 = 0;
layout(constant_id = 14) const uint STEP_11 = 0;

const uint INPUTS = 7, MOST_STEPS = 12, MOST_NUMBERS = 16;
const uint BINARY = 64;  // functions from here on take two operands
const uint NUMBER = 128; // operands from here on are numbers
layout(push_constant) uniform Push {
    uint count;
    uint inner[INPUTS]; // a stretched input's element is at place / inner % extent
    uint extent[INPUTS];
    float numbers[MOST_NUMBERS];
};
layout(binding = 0) readonly buffer Input0 { STORED input_0[]; };
layout(binding = 1) readonly buffer Input1 { STORED input_1[]; };
layout(binding = 2) readonly buffer Input2 { STORED input_2[]; };
layout(binding = 3) readonly buffer Input3 { STORED input_3[]; };
layout(binding = 4) readonly buffer Input4 { STORED input_4[]; };
layout(binding = 5) readonly buffer Input5 { STORED input_5[]; };
layout(binding = 6) readonly buffer Input6 { STORED input_6[]; };
layout(binding = 7) buffer To { STORED to[]; };

float values[INPUTS + MOST_STEPS];

uint place_in(uint k, uint i) {
    return (WHOLE_INPUTS >> k & 1u) != 0 ? i : i / inner[k] % extent[k];
}

float operand(uint code) {
    return code >= NUMBER ? numbers[min(code - NUMBER, MOST_NUMBERS - 1)]
                          : values[min(code, INPUTS + MOST_STEPS - 1)];
}

float run_step(uint step) {
    uint function = step & 255u;
    float first = operand(step >> 8 & 255u), second = operand(step >> 16 & 255u);
    return function >= BINARY ? apply_to_reals(function - BINARY, first, second)
                              : apply_to_real(function, first, second, operand(step >> 24));
}

#define LOAD(K) values[K] = real_from_word(WORD(input_##K[place_in(K, i)]), DTYPE);
#define RUN(K)                                                                                     \
    if (STEPS > K) {                                                                               \
        values[INPUTS + K] = run_step(STEP_##K);                                                   \
    }

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6)
    RUN(0) RUN(1) RUN(2) RUN(3) RUN(4) RUN(5) RUN(6) RUN(7) RUN(8) RUN(9) RUN(10) RUN(11)
    to[i] = STORED(word_from_real(values[INPUTS + STEPS - 1], DTYPE));
}
