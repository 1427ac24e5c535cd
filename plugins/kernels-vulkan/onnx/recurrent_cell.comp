// One step of LSTM, GRU or RNN of ONNX in one direction: the gates, of which the step's input and
// the state add parts, make the new state.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint CELL = 0;
layout(constant_id = 1) const bool HAS_PEEPHOLES = false;
const uint RNN = 0, GRU = 1, LSTM = 2;
layout(push_constant) uniform Push {
    uint batch;
    uint size;       // of a state
    uint first_gate; // of the step among the input's gates
    uint first_output;
    uint first_peephole;
};
layout(binding = 0) readonly buffer InputGates { float input_gates[]; };
layout(binding = 1) readonly buffer StateGates { float state_gates[]; };
layout(binding = 2) buffer State { float state[]; };
layout(binding = 3) buffer Cell { float cell[]; };
layout(binding = 4) readonly buffer Peepholes { float peepholes[]; };
layout(binding = 5) writeonly buffer Outputs { float outputs[]; };

float peephole(uint gate, uint element) {
    return HAS_PEEPHOLES ? peepholes[first_peephole + gate * size + element] : 0.0;
}

void main() {
    uint index = flat_invocation();
    if (index >= batch * size) {
        return;
    }
    uint element = index % size;
    uint gates = (CELL == LSTM ? 4 : CELL == GRU ? 3 : 1) * size;
    uint r = index / size * gates + element, x = first_gate + r;
    float value;
    if (CELL == LSTM) { // gates: input, output, forget, candidate
        float old = cell[index];
        float entry = logistic(input_gates[x] + state_gates[r] + peephole(0, element) * old);
        float forget = logistic(input_gates[x + 2 * size] + state_gates[r + 2 * size] +
                                peephole(2, element) * old);
        float candidate =
            hyperbolic_tangent(input_gates[x + 3 * size] + state_gates[r + 3 * size]);
        float kept = forget * old + entry * candidate;
        float exit = logistic(input_gates[x + size] + state_gates[r + size] +
                              peephole(1, element) * kept);
        cell[index] = kept;
        value = exit * hyperbolic_tangent(kept);
    } else if (CELL == GRU) { // gates: update, reset, candidate; reset behind the weights
        float update = logistic(input_gates[x] + state_gates[r]);
        float reset = logistic(input_gates[x + size] + state_gates[r + size]);
        float candidate =
            hyperbolic_tangent(input_gates[x + 2 * size] + reset * state_gates[r + 2 * size]);
        value = (1.0 - update) * candidate + update * state[index];
    } else {
        value = hyperbolic_tangent(input_gates[x] + state_gates[r]);
    }
    state[index] = value;
    outputs[first_output + index] = value;
}
