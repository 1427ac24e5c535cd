/* The kernel of RNN, GRU and LSTM: one direction after the other, one sample after the other, in
 * double. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "integers.h"
#include "operator.h"
#include "recurrent.h"

typedef struct recurrent_state {
    recurrent_cell cell;
    recurrent_activation activations[MAX_ACTIVATIONS];
    int64_t steps, batch, features, hidden, gates; /* gates: all elements of them */
} recurrent_state;

/* One direction, with its parameters as doubles. */
typedef struct recurrent_layer {
    const tn_run_call *call;
    const recurrent_state *plan;
    const recurrent_activation *activations;
    int64_t direction, directions;
    double *weights, *recurrence, *biases, *recurrent_biases, *peepholes;
    double *state, *cell;
    double *inputs, *gates, *recurrent; /* of one step */
} recurrent_layer;

static uint64_t workspace_of(const recurrent_state *plan) {
    const int64_t rows = plan->gates;
    return (uint64_t)(rows * (plan->features + plan->hidden + 4) + 6 * plan->hidden +
                      plan->features) *
           sizeof(double);
}

static tn_status prepare(tn_prepare_call *call, recurrent_cell cell) {
    const recurrent_attributes *own = call->attributes;
    const tn_memory_service *memory = call->host->find_service(call->host, "memory", 1);
    const tn_view *data = call->inputs[SEQUENCE], *weights = call->inputs[RECURRENCE];
    recurrent_state plan = {.cell = cell,
                            .steps = data->shape[own->layout],
                            .batch = data->shape[!own->layout],
                            .features = data->shape[2],
                            .hidden = weights->shape[2],
                            .gates = cell_gates(cell) * weights->shape[2]};
    TN_TRY(find_activations(call->host, own, cell, plan.activations));
    call->workspace_size = workspace_of(&plan);
    recurrent_state *state = memory->allocate(call->host, sizeof *state);
    if (state == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the kernel's state");
    }
    *state = plan;
    call->state = state;
    return TN_OK;
}

static void release(const tn_host *host, void *state) {
    const tn_memory_service *memory = host->find_service(host, "memory", 1);
    memory->free(host, state);
}

static void load_parameters(const tn_view *view, int64_t direction, int64_t count, double *target) {
    if (view == NULL) {
        memset(target, 0, (size_t)count * sizeof *target);
    } else {
        read_doubles(view->dtype, tn_data(view), direction * count, 1, count, target);
    }
}

static void begin_layer(recurrent_layer *layer) {
    const recurrent_state *plan = layer->plan;
    const tn_run_call *call = layer->call;
    double *room = call->workspace;
    layer->weights = room;
    layer->recurrence = layer->weights + plan->gates * plan->features;
    layer->biases = layer->recurrence + plan->gates * plan->hidden;
    layer->recurrent_biases = layer->biases + plan->gates;
    layer->gates = layer->recurrent_biases + plan->gates;
    layer->recurrent = layer->gates + plan->gates;
    layer->peepholes = layer->recurrent + plan->gates;
    layer->state = layer->peepholes + 3 * plan->hidden;
    layer->cell = layer->state + plan->hidden;
    layer->inputs = layer->cell + 2 * plan->hidden;
    load_parameters(call->inputs[WEIGHTS], layer->direction, plan->gates * plan->features,
                    layer->weights);
    load_parameters(call->inputs[RECURRENCE], layer->direction, plan->gates * plan->hidden,
                    layer->recurrence);
    load_parameters(call->inputs[BIASES], layer->direction, 2 * plan->gates, layer->biases);
    load_parameters(run_input(call, PEEPHOLES), layer->direction, 3 * plan->hidden,
                    layer->peepholes);
}

/* result[i] = start[i] + matrix row i times the vector */
static void multiply(const double *matrix, const double *vector, const double *start, int64_t rows,
                     int64_t columns, double *result) {
    for (int64_t i = 0; i < rows; i++) {
        double sum = start[i];
        for (int64_t j = 0; j < columns; j++) {
            sum += matrix[i * columns + j] * vector[j];
        }
        result[i] = sum;
    }
}

static double activate(const recurrent_layer *layer, int activation, double x) {
    const recurrent_attributes *own = layer->call->attributes;
    if (own->clip == own->clip) {
        x = fmin(fmax(x, -own->clip), own->clip);
    }
    return apply_activation(&layer->activations[activation], x);
}

static void step_rnn(const recurrent_layer *layer) {
    for (int64_t i = 0; i < layer->plan->hidden; i++) {
        layer->state[i] = activate(layer, 0, layer->gates[i] + layer->recurrent[i]);
    }
}

static void step_gru(const recurrent_layer *layer) {
    const recurrent_attributes *own = layer->call->attributes;
    const int64_t hidden = layer->plan->hidden;
    double *update = layer->gates, *reset = update + hidden, *candidate = reset + hidden;
    double *recurrent = layer->recurrent + 2 * hidden;
    for (int64_t i = 0; i < 2 * hidden; i++) {
        layer->gates[i] = activate(layer, 0, layer->gates[i] + layer->recurrent[i]);
    }
    if (!own->linear_before_reset) {
        double *kept = layer->cell; /* a GRU has no cell: the state behind the reset gate */
        for (int64_t i = 0; i < hidden; i++) {
            kept[i] = reset[i] * layer->state[i];
        }
        multiply(layer->recurrence + 2 * hidden * hidden, kept,
                 layer->recurrent_biases + 2 * hidden, hidden, hidden, recurrent);
    }
    for (int64_t i = 0; i < hidden; i++) {
        const double factor = own->linear_before_reset ? reset[i] : 1;
        const double next = activate(layer, 1, candidate[i] + factor * recurrent[i]);
        layer->state[i] = (1 - update[i]) * next + update[i] * layer->state[i];
    }
}

static void step_lstm(const recurrent_layer *layer) {
    const recurrent_attributes *own = layer->call->attributes;
    const int64_t hidden = layer->plan->hidden;
    const double *peephole = layer->peepholes;
    for (int64_t i = 0; i < hidden; i++) {
        const double *gates = layer->gates + i, *recurrent = layer->recurrent + i;
        const double old = layer->cell[i];
        const double input = activate(layer, 0, gates[0] + recurrent[0] + peephole[i] * old);
        const double forget = own->input_forget
                                  ? 1 - input
                                  : activate(layer, 0,
                                             gates[2 * hidden] + recurrent[2 * hidden] +
                                                 peephole[2 * hidden + i] * old);
        const double candidate = activate(layer, 1, gates[3 * hidden] + recurrent[3 * hidden]);
        layer->cell[i] = forget * old + input * candidate;
        const double output = activate(
            layer, 0, gates[hidden] + recurrent[hidden] + peephole[hidden + i] * layer->cell[i]);
        layer->state[i] = output * activate(layer, 2, layer->cell[i]);
    }
}

static void run_step(const recurrent_layer *layer, int64_t sample, int64_t step) {
    const recurrent_attributes *own = layer->call->attributes;
    const recurrent_state *plan = layer->plan;
    const tn_view *data = layer->call->inputs[SEQUENCE], *output = layer->call->outputs[0];
    const int64_t row = own->layout ? sample * plan->steps + step : step * plan->batch + sample;
    read_doubles(data->dtype, tn_data(data), row * plan->features, 1, plan->features,
                 layer->inputs);
    multiply(layer->weights, layer->inputs, layer->biases, plan->gates, plan->features,
             layer->gates);
    multiply(layer->recurrence, layer->state, layer->recurrent_biases, plan->gates, plan->hidden,
             layer->recurrent);
    switch (plan->cell) {
    case CELL_LSTM: step_lstm(layer); break;
    case CELL_GRU: step_gru(layer); break;
    default: step_rnn(layer); break;
    }
    const int64_t place =
        own->layout ? row * layer->directions + layer->direction
                    : (step * layer->directions + layer->direction) * plan->batch + sample;
    write_doubles(output->dtype, tn_data(output), place * plan->hidden, 1, plan->hidden,
                  layer->state);
}

static void run_sample(const recurrent_layer *layer, int64_t sample, int64_t length) {
    const recurrent_attributes *own = layer->call->attributes;
    const tn_run_call *call = layer->call;
    const int64_t hidden = layer->plan->hidden;
    const int is_backwards = own->direction == DIRECTION_REVERSE || layer->direction == 1;
    const int64_t place = own->layout ? sample * layer->directions + layer->direction
                                      : layer->direction * layer->plan->batch + sample;
    load_parameters(run_input(call, FIRST_STATE), place, hidden, layer->state);
    load_parameters(run_input(call, FIRST_CELL), place, hidden, layer->cell);
    for (int64_t i = 0; i < length; i++) {
        run_step(layer, sample, is_backwards ? length - 1 - i : i);
    }
    for (uint32_t i = 1; i < call->output_count; i++) {
        write_doubles(call->outputs[i]->dtype, tn_data(call->outputs[i]), place * hidden, 1, hidden,
                      i == 1 ? layer->state : layer->cell);
    }
}

static tn_status run(const tn_run_call *call) {
    const recurrent_attributes *own = call->attributes;
    const recurrent_state *plan = call->state;
    const tn_view *lengths = run_input(call, LENGTHS);
    recurrent_layer layer = {.call = call, .plan = plan};
    layer.directions = own->direction == DIRECTION_BIDIRECTIONAL ? 2 : 1;
    memset(tn_data(call->outputs[0]), 0, tn_byte_size(call->outputs[0]));
    for (; layer.direction < layer.directions; layer.direction++) {
        layer.activations = plan->activations + layer.direction * cell_activations(plan->cell);
        begin_layer(&layer);
        for (int64_t sample = 0; sample < plan->batch; sample++) {
            const int64_t length = lengths == NULL
                                       ? plan->steps
                                       : read_integer(lengths->dtype, tn_data(lengths), sample);
            if (length < 0 || length > plan->steps) {
                return tn_fail(call->host, TN_OUT_OF_RANGE, "sequence_lens has %lld for %lld steps",
                               (long long)length, (long long)plan->steps);
            }
            run_sample(&layer, sample, length);
        }
    }
    return TN_OK;
}

static tn_status prepare_rnn(tn_prepare_call *call) {
    return prepare(call, CELL_RNN);
}

static tn_status prepare_gru(tn_prepare_call *call) {
    return prepare(call, CELL_GRU);
}

static tn_status prepare_lstm(tn_prepare_call *call) {
    return prepare(call, CELL_LSTM);
}

#define RECURRENT_KERNEL(NAME, PREPARE)                                                            \
    {                                                                                              \
        CPU_KERNEL(NAME), .supports = supports_floating_first_input, .prepare = PREPARE,           \
                          .run = run, .release = release                                           \
    }

const tn_kernel rnn_kernel = RECURRENT_KERNEL("onnx.RNN", prepare_rnn);
const tn_kernel gru_kernel = RECURRENT_KERNEL("onnx.GRU", prepare_gru);
const tn_kernel lstm_kernel = RECURRENT_KERNEL("onnx.LSTM", prepare_lstm);
