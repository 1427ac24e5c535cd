/* Template, see recurrent_kernel.c: the steps of one direction in REAL. */

typedef struct REAL_NAME(layer) {
    const tn_run_call *call;
    const recurrent_state *plan;
    const recurrent_activation *activations;
    int64_t direction, directions;
    const REAL *weights, *recurrence; /* transposed */
    REAL *biases, *recurrent_biases, *peepholes;
    REAL *state, *cell;
    REAL *inputs, *gates, *recurrent; /* of one step */
    REAL *scratch;                    /* as long as the state */
} REAL_NAME(layer);

static void REAL_NAME(load_parameters)(const tn_view *view, int64_t direction, int64_t count,
                                       REAL *target) {
    if (view == NULL) {
        memset(target, 0, (size_t)count * sizeof *target);
    } else {
        READ_REALS(view->dtype, tn_data(view), direction * count, 1, count, target);
    }
}

/* Those that were transposed ahead, or now, into `room`. */
static const REAL *REAL_NAME(find_weights)(const REAL_NAME(layer) * layer, const REAL *constant,
                                           const tn_view *view, int64_t columns, REAL *room) {
    if (constant != NULL) {
        return constant + layer->direction * layer->plan->gates * columns;
    }
    transpose(layer->plan, view, layer->direction, columns, room);
    return room;
}

static void REAL_NAME(begin_layer)(REAL_NAME(layer) * layer) {
    const recurrent_state *plan = layer->plan;
    const tn_run_call *call = layer->call;
    layer->biases = call->workspace;
    layer->recurrent_biases = layer->biases + plan->gates;
    layer->gates = layer->recurrent_biases + plan->gates;
    layer->recurrent = layer->gates + plan->gates;
    layer->peepholes = layer->recurrent + plan->gates;
    layer->state = layer->peepholes + 3 * plan->hidden;
    layer->cell = layer->state + plan->hidden;
    layer->scratch = layer->cell + plan->hidden;
    layer->inputs = layer->scratch + plan->hidden;
    REAL *weights = layer->inputs + plan->features;
    layer->weights = REAL_NAME(find_weights)(layer, plan->constant_weights, call->inputs[WEIGHTS],
                                             plan->features, weights);
    layer->recurrence =
        REAL_NAME(find_weights)(layer, plan->constant_recurrence, call->inputs[RECURRENCE],
                                plan->hidden, weights + plan->gates * plan->features);
    REAL_NAME(load_parameters)
    (call->inputs[BIASES], layer->direction, 2 * plan->gates, layer->biases);
    REAL_NAME(load_parameters)
    (run_input(call, PEEPHOLES), layer->direction, 3 * plan->hidden, layer->peepholes);
}

/* result[i] = start[i] + the sum over j of matrix[j][first + i] vector[j]. Four rows of the matrix
 * at a time, so that the results are not fetched and stored for each. */
static void REAL_NAME(multiply)(const recurrent_state *plan, const REAL *matrix, int64_t first,
                                const REAL *vector, const REAL *start, int64_t count, int64_t terms,
                                REAL *restrict result) {
    const int64_t stride = plan->gates;
    const REAL *row = matrix + first;
    int64_t j = 0;
    memcpy(result, start, (size_t)count * sizeof *result);
    for (; j + 4 <= terms; j += 4, row += 4 * stride) {
        const REAL *second = row + stride, *third = second + stride, *fourth = third + stride;
        for (int64_t i = 0; i < count; i++) {
            result[i] += (row[i] * vector[j] + second[i] * vector[j + 1]) +
                         (third[i] * vector[j + 2] + fourth[i] * vector[j + 3]);
        }
    }
    for (; j < terms; j++, row += stride) {
        for (int64_t i = 0; i < count; i++) {
            result[i] += row[i] * vector[j];
        }
    }
}

/* The function over `count` numbers in their places. */
static void REAL_NAME(activate)(const REAL_NAME(layer) * layer, int number, REAL *x,
                                int64_t count) {
    const recurrent_activation *activation = &layer->activations[number];
    switch (activation->function) {
    case ACTIVATION_Sigmoid:
        for (int64_t i = 0; i < count; i++) {
            x[i] = REAL_SIGMOID(x[i]);
        }
        break;
    case ACTIVATION_Tanh:
        for (int64_t i = 0; i < count; i++) {
            x[i] = REAL_TANH(x[i]);
        }
        break;
    default:
        for (int64_t i = 0; i < count; i++) {
            x[i] = (REAL)apply_activation(activation, (double)x[i]);
        }
    }
}

/* The same of sums that go into gates, which may have bounds. NaN becomes the lower one. */
static void REAL_NAME(activate_gate)(const REAL_NAME(layer) * layer, int number, REAL *x,
                                     int64_t count) {
    const recurrent_attributes *own = layer->call->attributes;
    if (own->clip == own->clip) {
        const REAL limit = (REAL)own->clip;
        for (int64_t i = 0; i < count; i++) {
            const REAL raised = x[i] > -limit ? x[i] : -limit;
            x[i] = raised < limit ? raised : limit;
        }
    }
    REAL_NAME(activate)(layer, number, x, count);
}

static void REAL_NAME(add)(REAL *x, const REAL *y, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        x[i] += y[i];
    }
}

static void REAL_NAME(add_products)(REAL *x, const REAL *left, const REAL *right, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        x[i] += left[i] * right[i];
    }
}

static void REAL_NAME(step_rnn)(const REAL_NAME(layer) * layer) {
    const int64_t hidden = layer->plan->hidden;
    memcpy(layer->state, layer->gates, (size_t)hidden * sizeof(REAL));
    REAL_NAME(add)(layer->state, layer->recurrent, hidden);
    REAL_NAME(activate_gate)(layer, 0, layer->state, hidden);
}

static void REAL_NAME(step_gru)(const REAL_NAME(layer) * layer) {
    const recurrent_attributes *own = layer->call->attributes;
    const int64_t hidden = layer->plan->hidden;
    REAL *update = layer->gates, *reset = update + hidden, *candidate = reset + hidden;
    REAL *recurrent = layer->recurrent + 2 * hidden;
    REAL_NAME(add)(layer->gates, layer->recurrent, 2 * hidden);
    REAL_NAME(activate_gate)(layer, 0, layer->gates, 2 * hidden);
    if (own->linear_before_reset) {
        REAL_NAME(add_products)(candidate, reset, recurrent, hidden);
    } else {
        REAL *kept = layer->scratch; /* the state behind the reset gate */
        for (int64_t i = 0; i < hidden; i++) {
            kept[i] = reset[i] * layer->state[i];
        }
        REAL_NAME(multiply)
        (layer->plan, layer->recurrence, 2 * hidden, kept, layer->recurrent_biases + 2 * hidden,
         hidden, hidden, recurrent);
        REAL_NAME(add)(candidate, recurrent, hidden);
    }
    REAL_NAME(activate_gate)(layer, 1, candidate, hidden);
    for (int64_t i = 0; i < hidden; i++) {
        layer->state[i] = (1 - update[i]) * candidate[i] + update[i] * layer->state[i];
    }
}

/* The gates are input, output, forget and candidate. */
static void REAL_NAME(step_lstm)(const REAL_NAME(layer) * layer) {
    const recurrent_attributes *own = layer->call->attributes;
    const int64_t hidden = layer->plan->hidden;
    REAL *input = layer->gates, *output = input + hidden, *forget = output + hidden,
         *candidate = forget + hidden;
    const REAL *peephole = layer->peepholes;
    REAL_NAME(add)(layer->gates, layer->recurrent, 4 * hidden);
    REAL_NAME(add_products)(input, peephole, layer->cell, hidden);
    REAL_NAME(activate_gate)(layer, 0, input, hidden);
    if (own->input_forget) {
        for (int64_t i = 0; i < hidden; i++) {
            forget[i] = 1 - input[i];
        }
    } else {
        REAL_NAME(add_products)(forget, peephole + 2 * hidden, layer->cell, hidden);
        REAL_NAME(activate_gate)(layer, 0, forget, hidden);
    }
    REAL_NAME(activate_gate)(layer, 1, candidate, hidden);
    for (int64_t i = 0; i < hidden; i++) {
        layer->cell[i] = forget[i] * layer->cell[i] + input[i] * candidate[i];
    }
    REAL_NAME(add_products)(output, peephole + hidden, layer->cell, hidden);
    REAL_NAME(activate_gate)(layer, 0, output, hidden);
    memcpy(layer->scratch, layer->cell, (size_t)hidden * sizeof(REAL));
    REAL_NAME(activate)(layer, 2, layer->scratch, hidden);
    for (int64_t i = 0; i < hidden; i++) {
        layer->state[i] = output[i] * layer->scratch[i];
    }
}

static void REAL_NAME(run_step)(const REAL_NAME(layer) * layer, int64_t sample, int64_t step) {
    const recurrent_attributes *own = layer->call->attributes;
    const recurrent_state *plan = layer->plan;
    const tn_view *data = layer->call->inputs[SEQUENCE], *output = layer->call->outputs[0];
    const int64_t row = own->layout ? sample * plan->steps + step : step * plan->batch + sample;
    READ_REALS(data->dtype, tn_data(data), row * plan->features, 1, plan->features, layer->inputs);
    REAL_NAME(multiply)
    (plan, layer->weights, 0, layer->inputs, layer->biases, plan->gates, plan->features,
     layer->gates);
    REAL_NAME(multiply)
    (plan, layer->recurrence, 0, layer->state, layer->recurrent_biases, plan->gates, plan->hidden,
     layer->recurrent);
    switch (plan->cell) {
    case CELL_LSTM: REAL_NAME(step_lstm)(layer); break;
    case CELL_GRU: REAL_NAME(step_gru)(layer); break;
    default: REAL_NAME(step_rnn)(layer); break;
    }
    const int64_t place =
        own->layout ? row * layer->directions + layer->direction
                    : (step * layer->directions + layer->direction) * plan->batch + sample;
    WRITE_REALS(output->dtype, tn_data(output), place * plan->hidden, 1, plan->hidden,
                layer->state);
}

static void REAL_NAME(run_sample)(const REAL_NAME(layer) * layer, int64_t sample) {
    const recurrent_attributes *own = layer->call->attributes;
    const tn_run_call *call = layer->call;
    const int64_t hidden = layer->plan->hidden, length = length_of(call, sample);
    const int is_backwards = own->direction == DIRECTION_REVERSE || layer->direction == 1;
    const int64_t place = own->layout ? sample * layer->directions + layer->direction
                                      : layer->direction * layer->plan->batch + sample;
    REAL_NAME(load_parameters)(run_input(call, FIRST_STATE), place, hidden, layer->state);
    REAL_NAME(load_parameters)(run_input(call, FIRST_CELL), place, hidden, layer->cell);
    for (int64_t i = 0; i < length; i++) {
        REAL_NAME(run_step)(layer, sample, is_backwards ? length - 1 - i : i);
    }
    for (uint32_t i = 1; i < call->output_count; i++) {
        WRITE_REALS(call->outputs[i]->dtype, tn_data(call->outputs[i]), place * hidden, 1, hidden,
                    i == 1 ? layer->state : layer->cell);
    }
}

static void REAL_NAME(run_layers)(const tn_run_call *call) {
    const recurrent_attributes *own = call->attributes;
    const recurrent_state *plan = call->state;
    REAL_NAME(layer) layer = {.call = call, .plan = plan};
    layer.directions = own->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1;
    for (; layer.direction < layer.directions; layer.direction++) {
        layer.activations = plan->activations + layer.direction * cell_activations(plan->cell);
        REAL_NAME(begin_layer)(&layer);
        for (int64_t sample = 0; sample < plan->batch; sample++) {
            REAL_NAME(run_sample)(&layer, sample);
        }
    }
}
