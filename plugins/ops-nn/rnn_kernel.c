/*
 * The kernel of RNN. The inputs of a layer are all there before it starts, so what they add to the
 * gates of all steps is one matrix product; what the states add is another one for each step. Half
 * precision is widened first and narrowed at the end.
 */
#include "floating.h"
#include "operators_more.h"
#include "rnn_cell.h"
#include "rnn_parameters.h"
#include "rnn_plan.h"
#include "sequence_length.h"

typedef struct rnn_run {
    const tn_run_call *call;
    rnn_plan plan;
    const void *parameters; /* as reals */
    const tn_view *lengths;
} rnn_run;

static void *memory_at(const rnn_run *run, uint64_t offset) {
    return (char *)run->call->workspace + offset;
}

static const void *parameter_at(const rnn_run *run, int64_t index) {
    return element_at(run->plan.dtype, run->parameters, index);
}

/* An input as reals: where it is, or widened at `offset`. */
static const void *widen(const rnn_run *run, const tn_view *input, uint64_t offset) {
    if (input->dtype == run->plan.dtype) {
        return tn_data(input);
    }
    void *reals = memory_at(run, offset);
    element_loader_of(input->dtype)(tn_data(input), 1, tn_element_count(input), reals);
    return reals;
}

/* The state of a layer and direction, number `index` of all, comes from an input or goes to an
 * output. */
static void load_state(const rnn_run *run, uint32_t input, int64_t index, uint64_t offset) {
    const tn_view *view = run->call->inputs[input];
    const int64_t count = run->plan.batch * run->plan.attributes->state_size;
    element_loader_of(view->dtype)(element_at(view->dtype, tn_data(view), index * count), 1, count,
                                   memory_at(run, offset));
}

static void store_state(const rnn_run *run, uint32_t output, int64_t index, uint64_t offset) {
    const tn_view *view = run->call->outputs[output];
    const int64_t count = run->plan.batch * run->plan.attributes->state_size;
    element_storer_of(view->dtype)(memory_at(run, offset), count,
                                   element_at_mutable(view->dtype, tn_data(view), index * count));
}

static void run_steps(const rnn_run *run, const rnn_parameters *parameters, int64_t direction,
                      void *outputs) {
    const rnn_plan *plan = &run->plan;
    const int64_t row_length = plan->attributes->state_size * rnn_directions(plan->attributes);
    matrix_product product = rnn_state_product(plan);
    product.left.data = memory_at(run, plan->state);
    product.right.data = parameter_at(run, parameters->state_weights);
    product.column_bias = parameter_at(run, parameters->state_biases);
    product.right_panels = memory_at(run, plan->state_weights);
    product.result = memory_at(run, plan->state_gates);
    matrix_product_pack_right(&product, product.right_panels);
    rnn_step step = {.attributes = plan->attributes,
                     .dtype = plan->dtype,
                     .batch = plan->batch,
                     .state_gates = product.result,
                     .state = memory_at(run, plan->state),
                     .cell = memory_at(run, plan->cell),
                     .output_stride = row_length,
                     .lengths = run->lengths};
    for (int64_t i = 0; i < plan->steps; i++) {
        step.index = direction == 0 ? i : plan->steps - 1 - i;
        const int64_t row = step.index * plan->batch;
        step.input_gates =
            element_at(plan->dtype, memory_at(run, plan->input_gates), row * plan->gates);
        step.output = element_at_mutable(
            plan->dtype, outputs, row * row_length + direction * plan->attributes->state_size);
        matrix_product_run(run->call->host, &product, memory_at(run, plan->product));
        rnn_step_run(run->call->host, &step);
    }
}

static void run_layer(const rnn_run *run, int64_t layer, int64_t direction, const void *inputs,
                      void *outputs) {
    const rnn_plan *plan = &run->plan;
    const int64_t index = layer * rnn_directions(plan->attributes) + direction;
    const int has_cell = plan->attributes->mode == RNN_LSTM;
    const rnn_parameters parameters =
        rnn_parameters_of(plan->attributes, plan->features, layer, direction);
    matrix_product product = rnn_input_product(plan, layer);
    product.left.data = inputs;
    product.right.data = parameter_at(run, parameters.input_weights);
    product.column_bias = parameter_at(run, parameters.input_biases);
    product.result = memory_at(run, plan->input_gates);
    matrix_product_run(run->call->host, &product, memory_at(run, plan->product));
    load_state(run, RNN_STATE, index, plan->state);
    if (has_cell) {
        load_state(run, RNN_STATE_CELL, index, plan->cell);
    }
    run_steps(run, &parameters, direction, outputs);
    if (plan->attributes->state_outputs) {
        store_state(run, 1, index, plan->state);
        if (has_cell) {
            store_state(run, 2, index, plan->cell);
        }
    }
}

static tn_status prepare(tn_prepare_call *call) {
    const rnn_plan plan =
        rnn_plan_of(call->attributes, call->inputs[RNN_DATA], call->inputs[RNN_PARAMETERS]);
    return size_request(call, plan.size);
}

static tn_status run(const tn_run_call *call) {
    const rnn_attributes *given = call->attributes;
    const tn_view *data = call->inputs[RNN_DATA];
    const tn_view *parameters = call->inputs[RNN_PARAMETERS];
    const tn_view *output = call->outputs[0];
    rnn_run state = {.call = call, .plan = rnn_plan_of(given, data, parameters)};
    if (state.plan.batch == 0) {
        return TN_OK;
    }
    state.parameters = widen(&state, parameters, state.plan.parameters);
    state.lengths = given->use_sequence_length ? call->inputs[rnn_length_input(given)] : NULL;
    const void *values = widen(&state, data, state.plan.data);
    for (int64_t layer = 0; layer < given->num_layers; layer++) {
        void *outputs = memory_at(&state, state.plan.outputs[layer % 2]);
        for (int64_t direction = 0; direction < rnn_directions(given); direction++) {
            run_layer(&state, layer, direction, values, outputs);
        }
        values = outputs;
    }
    element_storer_of(output->dtype)(values, tn_element_count(output), tn_data(output));
    return TN_OK;
}

/* The lengths may be of another type than the rest. */
static int32_t supports(const tn_kernel_query *query) {
    const rnn_attributes *given = query->attributes;
    return is_floating_dtype(query->inputs[RNN_DATA].dtype) &&
           (!given->use_sequence_length ||
            is_sequence_length_dtype(query->inputs[rnn_length_input(given)].dtype));
}

const tn_kernel rnn_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "RNN",
    .target = "cpu",
    .supports = supports,
    .prepare = prepare,
    .run = run,
};
