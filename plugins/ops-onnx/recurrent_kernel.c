/* The kernel of RNN, GRU and LSTM: one direction after the other, one sample after the other, in
 * float, or in double for data in double. */
#include <math.h>

#include <tenon/plugin/exponential.h>

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

static uint64_t real_size(const recurrent_state *plan) {
    return plan->is_double ? sizeof(double) : sizeof(float);
}

static uint64_t weight_size(const recurrent_state *plan, int64_t columns) {
    return (uint64_t)(plan->gates * columns) * real_size(plan);
}

static uint64_t workspace_of(const recurrent_state *plan) {
    return (uint64_t)(plan->gates * 4 + 6 * plan->hidden + plan->features) * real_size(plan) +
           weight_size(plan, plan->features) + weight_size(plan, plan->hidden);
}

/* One direction's weights (gates x columns), transposed, so that all gates are summed up side by
 * side. */
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

static int64_t length_of(const tn_run_call *call, int64_t sample) {
    const recurrent_state *plan = call->state;
    const tn_view *lengths = run_input(call, LENGTHS);
    return lengths == NULL ? plan->steps : read_integer(lengths->dtype, tn_data(lengths), sample);
}

/* The template computes in REAL, and its functions are named REAL_NAME(…). */
#define REAL float
#define REAL_NAME(base) base##_f32
#define READ_REALS read_floats
#define WRITE_REALS write_floats
#define REAL_TANH tn_tanh_f32
#define REAL_SIGMOID tn_sigmoid_f32
#include "recurrent_template.h"
#undef REAL
#undef REAL_NAME
#undef READ_REALS
#undef WRITE_REALS
#undef REAL_TANH
#undef REAL_SIGMOID

static inline double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

#define REAL double
#define REAL_NAME(base) base##_f64
#define READ_REALS read_doubles
#define WRITE_REALS write_doubles
#define REAL_TANH tanh
#define REAL_SIGMOID sigmoid
#include "recurrent_template.h"

static tn_status run(const tn_run_call *call) {
    const recurrent_state *plan = call->state;
    for (int64_t sample = 0; sample < plan->batch; sample++) {
        const int64_t length = length_of(call, sample);
        if (length < 0 || length > plan->steps) {
            return tn_fail(call->host, TN_OUT_OF_RANGE, "sequence_lens has %lld for %lld steps",
                           (long long)length, (long long)plan->steps);
        }
    }
    memset(tn_data(call->outputs[0]), 0, tn_byte_size(call->outputs[0]));
    if (plan->is_double) {
        run_layers_f64(call);
    } else {
        run_layers_f32(call);
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
