#include "rnn_plan.h"

#include "rnn_parameters.h"

/* Rows of `depth` elements times the rows of a matrix of weights, one for each gate's element. */
static matrix_product gate_product(const rnn_plan *plan, int64_t row_count, int64_t depth) {
    return (matrix_product){
        .left = {.dtype = plan->dtype, .count = row_count, .stride = depth, .depth_stride = 1},
        .right = {.dtype = plan->dtype, .count = plan->gates, .stride = depth, .depth_stride = 1},
        .batch_count = 1,
        .depth = depth,
        .result_dtype = plan->dtype,
    };
}

matrix_product rnn_input_product(const rnn_plan *plan, int64_t layer) {
    return gate_product(plan, plan->steps * plan->batch,
                        rnn_layer_features(plan->attributes, layer, plan->features));
}

matrix_product rnn_state_product(const rnn_plan *plan) {
    return gate_product(plan, plan->batch, plan->attributes->state_size);
}

static uint64_t append_reals(rnn_plan *plan, uint64_t count) {
    return size_append(&plan->size, size_multiply(count, real_size(plan->dtype)));
}

/* The largest workspace of all products; layers after the second are like it. */
static uint64_t product_size(const rnn_plan *plan, void *packed) {
    matrix_product product = rnn_state_product(plan);
    product.right_panels = packed;
    uint64_t size = matrix_product_workspace(&product);
    for (int64_t layer = 0; layer < 2 && layer < plan->attributes->num_layers; layer++) {
        product = rnn_input_product(plan, layer);
        const uint64_t layer_size = matrix_product_workspace(&product);
        size = layer_size > size ? layer_size : size;
    }
    return size;
}

rnn_plan rnn_plan_of(const rnn_attributes *given, const tn_view *data, const tn_view *parameters) {
    rnn_plan plan = {
        .attributes = given,
        .dtype = data->dtype == TN_F64 ? TN_F64 : TN_F32,
        .steps = data->shape[0],
        .batch = data->shape[1],
        .features = data->shape[2],
        .gates = rnn_gate_count(given) * given->state_size,
    };
    const uint64_t batch = (uint64_t)plan.batch;
    const uint64_t rows = (uint64_t)plan.steps * batch;
    const uint64_t state = size_multiply(batch, (uint64_t)given->state_size);
    const uint64_t output =
        size_multiply(rows, (uint64_t)(given->state_size * rnn_directions(given)));
    if (data->dtype != plan.dtype) {
        plan.data = append_reals(&plan, (uint64_t)tn_element_count(data));
        plan.parameters = append_reals(&plan, (uint64_t)tn_element_count(parameters));
    }
    plan.input_gates = append_reals(&plan, size_multiply(rows, (uint64_t)plan.gates));
    plan.state_gates = append_reals(&plan, size_multiply(batch, (uint64_t)plan.gates));
    plan.state = append_reals(&plan, state);
    plan.cell = append_reals(&plan, state);
    plan.outputs[0] = append_reals(&plan, output);
    plan.outputs[1] = append_reals(&plan, output);
    const matrix_product state_product = rnn_state_product(&plan);
    plan.state_weights = size_append(&plan.size, matrix_product_right_size(&state_product));
    plan.product = size_append(&plan.size, product_size(&plan, &plan));
    return plan;
}
