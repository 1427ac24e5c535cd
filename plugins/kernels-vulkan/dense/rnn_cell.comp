// One step of a recurrent layer in one direction: the gates, of which the step's input and the
// state add parts, make the new state. All memory holds floats.
#version 450
#include "common.glsl"
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint MODE = 0;
layout(constant_id = 1) const bool CLIPS = false;
layout(constant_id = 2) const bool CLIPS_NAN = false;
layout(constant_id = 3) const uint LENGTHS = 0; // 0 none, 1 floats, 2 integers
const uint GRU = 0, LSTM = 1, RELU = 2, TANH = 3;

layout(push_constant) uniform Push {
    uint batch;
    uint size;          // of a state
    uint first_gate;    // of the step among the input's gates
    uint first_output;  // of the step and direction
    uint output_stride; // from one sequence to the next
    uint step;
    float least;
    float largest;
};
layout(binding = 0) readonly buffer InputGates { float input_gates[]; };
layout(binding = 1) readonly buffer StateGates { float state_gates[]; };
layout(binding = 2) buffer State { float state[]; };
layout(binding = 3) buffer Cell { float cell[]; };
layout(binding = 4) writeonly buffer Outputs { float outputs[]; };
layout(binding = 5) readonly buffer Lengths { uint length_bits[]; };

bool is_beyond(uint sequence) {
    if (LENGTHS == 1) {
        float given = uintBitsToFloat(length_bits[sequence]);
        return !(given >= float(step + 1));
    }
    return LENGTHS == 2 && int(length_bits[sequence]) <= int(step);
}

float clipped(float value) {
    if (!CLIPS) {
        return value;
    }
    if (is_nan(value)) {
        return CLIPS_NAN ? least : value;
    }
    return value < least ? least : value > largest ? largest : value;
}

float next_state(uint index, uint x, uint r) {
    if (MODE == LSTM) {
        float entry = logistic(input_gates[x] + state_gates[r]);
        float forget = logistic(input_gates[x + size] + state_gates[r + size]);
        float candidate =
            hyperbolic_tangent(input_gates[x + 2 * size] + state_gates[r + 2 * size]);
        float exit = logistic(input_gates[x + 3 * size] + state_gates[r + 3 * size]);
        float kept = clipped(forget * cell[index] + entry * candidate);
        cell[index] = kept;
        return exit * hyperbolic_tangent(kept);
    }
    if (MODE == GRU) { // the reset gate acts on what the state adds to the candidate, with its bias
        float reset = logistic(input_gates[x] + state_gates[r]);
        float update = logistic(input_gates[x + size] + state_gates[r + size]);
        float candidate =
            hyperbolic_tangent(input_gates[x + 2 * size] + reset * state_gates[r + 2 * size]);
        return (1.0 - update) * candidate + update * state[index];
    }
    float sum = input_gates[x] + state_gates[r];
    return MODE == RELU ? (sum < 0.0 ? 0.0 : sum) : hyperbolic_tangent(sum);
}

void main() {
    uint index = flat_invocation();
    if (index >= batch * size) {
        return;
    }
    uint sequence = index / size;
    uint element = index % size;
    uint gates = (MODE == LSTM ? 4 : MODE == GRU ? 3 : 1) * size;
    uint to = first_output + sequence * output_stride + element;
    if (is_beyond(sequence)) {
        outputs[to] = 0.0;
        return;
    }
    uint gate = sequence * gates + element;
    float value = next_state(index, first_gate + gate, gate);
    state[index] = value;
    outputs[to] = value;
}
