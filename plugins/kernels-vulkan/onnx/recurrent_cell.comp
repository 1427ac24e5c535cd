// One step of LSTM, GRU or RNN of ONNX in one direction: the gates, of which the step's input and
// the state add parts, make the new state. A GRU whose reset gate acts in front of the weights takes
// two launches: the first makes what goes through the weights, the second the state.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint CELL = 0;
layout(constant_id = 1) const bool HAS_PEEPHOLES = false;
layout(constant_id = 2) const bool HAS_LENGTHS = false;
layout(constant_id = 3) const bool COUPLES = false; // the forget gate is the other side of the input's
layout(constant_id = 4) const bool CLIPS = false;
layout(constant_id = 5) const float BOUND = 0.0;
// The activations: function, alpha and beta.
layout(constant_id = 6) const uint FUNCTION_0 = 0;
layout(constant_id = 7) const uint FUNCTION_1 = 0;
layout(constant_id = 8) const uint FUNCTION_2 = 0;
layout(constant_id = 9) const float ALPHA_0 = 0.0;
layout(constant_id = 10) const float ALPHA_1 = 0.0;
layout(constant_id = 11) const float ALPHA_2 = 0.0;
layout(constant_id = 12) const float BETA_0 = 0.0;
layout(constant_id = 13) const float BETA_1 = 0.0;
layout(constant_id = 14) const float BETA_2 = 0.0;
const uint RNN = 0, GRU = 1, LSTM = 2, GRU_RESET = 3, GRU_CANDIDATE = 4;
const uint AFFINE = 0, ELU = 1, HARD_SIGMOID = 2, LEAKY_RELU = 3, RELU = 4, SCALED_TANH = 5,
           SIGMOID = 6, SOFTPLUS = 7, SOFTSIGN = 8, TANH = 9, THRESHOLDED_RELU = 10;
layout(push_constant) uniform Push {
    uint batch;
    uint size;       // of a state
    uint first_gate; // of the step among the input's gates
    uint gate_step;  // from sample to sample
    uint first_output;
    uint output_step;
    uint first_peephole;
    uint step_number;
};
layout(binding = 0) readonly buffer InputGates { float input_gates[]; };
layout(binding = 1) buffer StateGates { float state_gates[]; };
layout(binding = 2) buffer State { float state[]; };
// Of a GRU of two launches: the state behind the reset gate, then what the weights make of it.
layout(binding = 3) buffer Cell { float cell[]; };
layout(binding = 4) readonly buffer Peepholes { float peepholes[]; };
layout(binding = 5) writeonly buffer Outputs { float outputs[]; };
layout(binding = 6) readonly buffer Lengths { int lengths[]; };

float peephole(uint gate, uint element) {
    return HAS_PEEPHOLES ? peepholes[first_peephole + gate * size + element] : 0.0;
}

float apply(uint function, float a, float b, float x) {
    switch (function) {
    case AFFINE: return fma(a, x, b);
    case ELU: return x < 0.0 ? a * exponential_minus_one(x) : x;
    case HARD_SIGMOID: return clamp(fma(a, x, b), 0.0, 1.0);
    case LEAKY_RELU: return x < 0.0 ? a * x : x;
    case RELU: return is_nan(x) || x > 0.0 ? x : 0.0;
    case SCALED_TANH: return a * hyperbolic_tangent(b * x);
    case SIGMOID: return logistic(x);
    case SOFTPLUS: return max(x, 0.0) + logarithm_of_one_plus(exponential(-abs(x)));
    case SOFTSIGN: return x / (1.0 + abs(x));
    case TANH: return hyperbolic_tangent(x);
    default: return x > a ? x : 0.0;
    }
}

float clipped(float x) {
    return CLIPS && !is_nan(x) ? clamp(x, -BOUND, BOUND) : x;
}

float gate(float x) {
    return apply(FUNCTION_0, ALPHA_0, BETA_0, clipped(x));
}

float candidate(float x) {
    return apply(FUNCTION_1, ALPHA_1, BETA_1, clipped(x));
}

// Numbers of elements: of the step's input gates and of the state's gates.
float lstm(uint index, uint element, uint x, uint r) { // gates: input, output, forget, candidate
    float old = cell[index];
    float entry = gate(input_gates[x] + state_gates[r] + peephole(0, element) * old);
    float forget = COUPLES ? 1.0 - entry
                           : gate(input_gates[x + 2 * size] + state_gates[r + 2 * size] +
                                  peephole(2, element) * old);
    float kept = forget * old + entry * candidate(input_gates[x + 3 * size] +
                                                  state_gates[r + 3 * size]);
    float exit = gate(input_gates[x + size] + state_gates[r + size] + peephole(1, element) * kept);
    cell[index] = kept;
    return exit * apply(FUNCTION_2, ALPHA_2, BETA_2, kept);
}

float gru(uint index, uint x, uint r) { // gates: update, reset, candidate
    float update = gate(input_gates[x] + state_gates[r]);
    float reset = gate(input_gates[x + size] + state_gates[r + size]);
    float next = candidate(input_gates[x + 2 * size] + reset * state_gates[r + 2 * size]);
    return (1.0 - update) * next + update * state[index];
}

void main() {
    uint index = flat_invocation();
    if (index >= batch * size) {
        return;
    }
    uint element = index % size, row = index / size;
    uint own_gates = CELL == LSTM ? 4 : CELL == GRU ? 3 : CELL == RNN ? 1 : 2;
    uint r = row * own_gates * size + element, x = first_gate + row * gate_step + element;
    if (CELL == GRU_RESET) {
        state_gates[r] = gate(input_gates[x] + state_gates[r]);
        cell[index] = gate(input_gates[x + size] + state_gates[r + size]) * state[index];
        return;
    }
    uint target = first_output + row * output_step + element;
    if (HAS_LENGTHS && int(step_number) >= lengths[row]) {
        outputs[target] = 0.0;
        return;
    }
    float value;
    if (CELL == LSTM) {
        value = lstm(index, element, x, r);
    } else if (CELL == GRU) {
        value = gru(index, x, r);
    } else if (CELL == GRU_CANDIDATE) {
        float update = state_gates[r];
        value = (1.0 - update) * candidate(input_gates[x + 2 * size] + cell[index]) +
                update * state[index];
    } else {
        value = gate(input_gates[x] + state_gates[r]);
    }
    state[index] = value;
    outputs[target] = value;
}
