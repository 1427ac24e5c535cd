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
    int is_double;
    void *constant_weights, *constant_recurrence; /* transposed ahead, or NULL */
} recurrent_state;

/* One direction. Its weights are transposed, so that all gates are summed up side by side; they are
 * floats, but for data in double. */
typedef struct recurrent_layer {
    const tn_run_call *call;
    const recurrent_state *plan;
    const recurrent_activation *activations;
    int64_t direction, directions;
    const void *weights, *recurrence;
    double *biases, *recurrent_biases, *peepholes;
    double *state, *cell;
    double *inputs, *gates, *recurrent; /* of one step */
} recurrent_layer;

static uint64_t weight_size(const recurrent_state *plan, int64_t columns) {
    return (uint64_t)(plan->gates * columns) * (plan->is_double ? sizeof(double) : sizeof(float));
}

static uint64_t workspace_of(const recurrent_state *plan) {
    return (uint64_t)(plan->gates * 4 + 6 * plan->hidden + plan->features) * sizeof(double) +
           weight_size(plan, plan->features) + weight_size(plan, plan->hidden);
}

/* One direction's weights (gates x columns), transposed. */
static void transpose(const recurrent_state *plan, const tn_view *view, int64_t direction,
                      int64_t columns, void *target) {
    const int64_t first = direction * plan->gates * columns;
    for (int64_t j = 0; j < columns; j++) {
        if (plan->is_double) {
            read_doubles(view->dtype, tn_data(view), first + j, columns, plan->gates,
                         (double *)target + j * plan->gates);
        } else {
            read_floats(view->dtype, tn_data(view), first + j, columns, plan->gates,
                        (float *)target + j * plan->gates);
        }
    }
}

/* What a constant is when it is transposed, all directions; NULL when it is none. */
static tn_status transpose_constant(const tn_host *host, const recurrent_state *plan,
                                    const tn_view *view, int64_t columns, void **out_weights) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    const uint64_t size = weight_size(plan, columns);
    *out_weights = NULL;
    if (view->data == NULL || size == 0) {
        return TN_OK;
    }
    char *weights = memory->allocate(host, size * (uint64_t)view->shape[0]);
    if (weights == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the kernel's state");
    }
    for (int64_t i = 0; i < view->shape[0]; i++) {
        transpose(plan, view, i, columns, weights + (uint64_t)i * size);
    }
    *out_weights = weights;
    return TN_OK;
}

static void release(const tn_host *host, void *state) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    recurrent_state *plan = state;
    memory->free(host, plan->constant_weights);
    memory->free(host, plan->constant_recurrence);
    memory->free(host, plan);
}

static tn_status prepare(tn_prepare_call *call, recurrent_cell cell) {
    const recurrent_attributes *own = call->attributes;
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    const tn_view *data = call->inputs[SEQUENCE], *weights = call->inputs[RECURRENCE];
    recurrent_state plan = {.cell = cell,
                            .steps = data->shape[own->layout],
                            .batch = data->shape[!own->layout],
                            .features = data->shape[2],
                            .hidden = weights->shape[2],
                            .gates = cell_gates(cell) * weights->shape[2],
                            .is_double = data->dtype == TN_F64};
    TN_TRY(find_activations(call->host, own, cell, plan.activations));
    call->workspace_size = workspace_of(&plan);
    recurrent_state *state = memory->allocate(call->host, sizeof *state);
    if (state == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the kernel's state");
    }
    *state = plan;
    tn_status status = transpose_constant(call->host, state, call->inputs[WEIGHTS], plan.features,
                                          &state->constant_weights);
    if (status == TN_OK) {
        status = transpose_constant(call->host, state, weights, plan.hidden,
                                    &state->constant_recurrence);
    }
    if (status != TN_OK) {
        release(call->host, state);
        return status;
    }
    call->state = state;
    return TN_OK;
}

static void load_parameters(const tn_view *view, int64_t direction, int64_t count, double *target) {
    if (view == NULL) {
        memset(target, 0, (size_t)count * sizeof *target);
    } else {
        read_doubles(view->dtype, tn_data(view), direction * count, 1, count, target);
    }
}

/* Those that were transposed ahead, or now, into `room`. */
static const void *find_weights(const recurrent_layer *layer, const void *constant,
                                const tn_view *view, int64_t columns, void *room) {
    if (constant != NULL) {
        return (const char *)constant +
               (uint64_t)layer->direction * weight_size(layer->plan, columns);
    }
    transpose(layer->plan, view, layer->direction, columns, room);
    return room;
}

static void begin_layer(recurrent_layer *layer) {
    const recurrent_state *plan = layer->plan;
    const tn_run_call *call = layer->call;
    double *room = call->workspace;
    layer->biases = room;
    layer->recurrent_biases = layer->biases + plan->gates;
    layer->gates = layer->recurrent_biases + plan->gates;
    layer->recurrent = layer->gates + plan->gates;
    layer->peepholes = layer->recurrent + plan->gates;
    layer->state = layer->peepholes + 3 * plan->hidden;
    layer->cell = layer->state + plan->hidden;
    layer->inputs = layer->cell + 2 * plan->hidden;
    char *weights = (char *)(layer->inputs + plan->features);
    layer->weights =
        find_weights(layer, plan->constant_weights, call->inputs[WEIGHTS], plan->features, weights);
    layer->recurrence = find_weights(layer, plan->constant_recurrence, call->inputs[RECURRENCE],
                                     plan->hidden, weights + weight_size(plan, plan->features));
    load_parameters(call->inputs[BIASES], layer->direction, 2 * plan->gates, layer->biases);
    load_parameters(run_input(call, PEEPHOLES), layer->direction, 3 * plan->hidden,
                    layer->peepholes);
}

/* result[i] = start[i] + the sum over j of matrix[j][i] vector[j]; a row of the matrix has `stride`
 * elements. */
#define DEFINE_MULTIPLY(NAME, TYPE)                                                                \
    static void NAME(const TYPE *matrix, int64_t stride, const double *vector,                     \
                     const double *start, int64_t count, int64_t terms, double *restrict result) { \
        memcpy(result, start, (size_t)count * sizeof *result);                                     \
        for (int64_t j = 0; j < terms; j++) {                                                      \
            const TYPE *restrict row = matrix + j * stride;                                        \
            const double factor = vector[j];                                                       \
            for (int64_t i = 0; i < count; i++) {                                                  \
                result[i] += (double)row[i] * factor;                                              \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_MULTIPLY(multiply_floats, float)
DEFINE_MULTIPLY(multiply_doubles, double)

/* The gates from number `first` on. */
static void multiply(const recurrent_state *plan, const void *matrix, int64_t first,
                     const double *vector, const double *start, int64_t count, int64_t terms,
                     double *result) {
    if (plan->is_double) {
        multiply_doubles((const double *)matrix + first, plan->gates, vector, start, count, terms,
                         result);
    } else {
        multiply_floats((const float *)matrix + first, plan->gates, vector, start, count, terms,
                        result);
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
        multiply(layer->plan, layer->recurrence, 2 * hidden, kept,
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
        /* The bounds are those of sums that go into gates: others do not clip the cell either. */
        layer->state[i] = output * apply_activation(&layer->activations[2], layer->cell[i]);
    }
}

static void run_step(const recurrent_layer *layer, int64_t sample, int64_t step) {
    const recurrent_attributes *own = layer->call->attributes;
    const recurrent_state *plan = layer->plan;
    const tn_view *data = layer->call->inputs[SEQUENCE], *output = layer->call->outputs[0];
    const int64_t row = own->layout ? sample * plan->steps + step : step * plan->batch + sample;
    read_doubles(data->dtype, tn_data(data), row * plan->features, 1, plan->features,
                 layer->inputs);
    multiply(plan, layer->weights, 0, layer->inputs, layer->biases, plan->gates, plan->features,
             layer->gates);
    multiply(plan, layer->recurrence, 0, layer->state, layer->recurrent_biases, plan->gates,
             plan->hidden, layer->recurrent);
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
