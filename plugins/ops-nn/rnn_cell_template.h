/* Template, see rnn_cell.c. x are the gates that the step's input gives, r those of the state. */

static void REAL_NAME(plain_cell)(int32_t mode, int64_t size, const REAL *restrict x,
                                  const REAL *restrict r, REAL *restrict state) {
    if (mode == RNN_RELU) {
        for (int64_t i = 0; i < size; i++) {
            const REAL sum = x[i] + r[i];
            state[i] = sum < 0 ? 0 : sum;
        }
    } else {
        for (int64_t i = 0; i < size; i++) {
            state[i] = REAL_NAME(hyperbolic_tangent)(x[i] + r[i]);
        }
    }
}

/* The reset gate acts on what the state adds to the candidate, bias included. */
static void REAL_NAME(gru_cell)(int64_t size, const REAL *restrict x, const REAL *restrict r,
                                REAL *restrict state) {
    for (int64_t i = 0; i < size; i++) {
        const REAL reset = REAL_NAME(sigmoid)(x[i] + r[i]);
        const REAL update = REAL_NAME(sigmoid)(x[size + i] + r[size + i]);
        const REAL candidate =
            REAL_NAME(hyperbolic_tangent)(x[2 * size + i] + reset * r[2 * size + i]);
        state[i] = (1 - update) * candidate + update * state[i];
    }
}

static void REAL_NAME(clip_cell)(const rnn_attributes *given, REAL *cell) {
    const REAL least = (REAL)given->lstm_state_clip_min;
    const REAL largest = (REAL)given->lstm_state_clip_max;
    for (int64_t i = 0; i < given->state_size; i++) {
        if (cell[i] < least || (cell[i] != cell[i] && given->lstm_state_clip_nan)) {
            cell[i] = least;
        } else if (cell[i] > largest) {
            cell[i] = largest;
        }
    }
}

static void REAL_NAME(lstm_cell)(const rnn_attributes *given, const REAL *restrict x,
                                 const REAL *restrict r, REAL *restrict state,
                                 REAL *restrict cell) {
    const int64_t size = given->state_size;
    for (int64_t i = 0; i < size; i++) {
        const REAL input = REAL_NAME(sigmoid)(x[i] + r[i]);
        const REAL forget = REAL_NAME(sigmoid)(x[size + i] + r[size + i]);
        const REAL candidate = REAL_NAME(hyperbolic_tangent)(x[2 * size + i] + r[2 * size + i]);
        cell[i] = forget * cell[i] + input * candidate;
    }
    if (rnn_clips_state(given)) {
        REAL_NAME(clip_cell)(given, cell);
    }
    for (int64_t i = 0; i < size; i++) {
        const REAL output = REAL_NAME(sigmoid)(x[3 * size + i] + r[3 * size + i]);
        state[i] = output * REAL_NAME(hyperbolic_tangent)(cell[i]);
    }
}

static void REAL_NAME(run_cells)(void *context, int64_t begin, int64_t end) {
    const rnn_step *step = context;
    const rnn_attributes *given = step->attributes;
    const int64_t size = given->state_size;
    const int64_t gates = rnn_gate_count(given) * size;
    for (int64_t n = begin; n < end; n++) {
        const REAL *x = (const REAL *)step->input_gates + n * gates;
        const REAL *r = (const REAL *)step->state_gates + n * gates;
        REAL *state = (REAL *)step->state + n * size;
        REAL *output = (REAL *)step->output + n * step->output_stride;
        if (step->lengths != NULL &&
            sequence_length_at(step->lengths, n, INT64_MAX) <= step->index) {
            memset(output, 0, (size_t)size * sizeof(REAL));
            continue;
        }
        switch (given->mode) {
        case RNN_LSTM:
            REAL_NAME(lstm_cell)(given, x, r, state, (REAL *)step->cell + n * size);
            break;
        case RNN_GRU: REAL_NAME(gru_cell)(size, x, r, state); break;
        default: REAL_NAME(plain_cell)(given->mode, size, x, r, state); break;
        }
        memcpy(output, state, (size_t)size * sizeof(REAL));
    }
}
