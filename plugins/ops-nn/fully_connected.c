/* The operator FullyConnected and its kernel; its gradient is in fully_connected_gradient.c. */
#include "fully_connected.h"

#include "description.h"
#include "infer.h"
#include "matrix_product.h"
#include "operators.h"
#include "state.h"

static const tn_attribute fields[] = {
    TN_FIELD(fully_connected_attributes, num_hidden, INT, NULL, "[1,2147483647]",
             "How many features come out."),
    TN_FIELD(fully_connected_attributes, no_bias, BOOL, "False", NULL,
             "Leaves out the bias, which is then not an input."),
    TN_FIELD(fully_connected_attributes, flatten, BOOL, "True", NULL,
             "Takes all axes of data but the first as one axis of features; otherwise the last "
             "axis holds the features and the axes before it stay."),
};

static const char *const input_names[] = {"data", "weight", "bias"};
static const char *const output_names[] = {"output"};

static tn_status arity(tn_arity_call *call) {
    const fully_connected_attributes *attributes = call->attributes;
    call->input_count = attributes->no_bias ? 2 : 3;
    return TN_OK;
}

static tn_status infer_parameters(tn_infer_call *call, int64_t num_hidden) {
    tn_shape weight = tn_shape_of_rank(2);
    weight.extents[0] = num_hidden;
    TN_TRY(tn_infer_shape(call->host, "weight", &call->inputs[1].shape, &weight));
    if (call->input_count > 2) {
        const tn_shape bias = tn_shape_of(1, &num_hidden);
        TN_TRY(tn_infer_shape(call->host, "bias", &call->inputs[2].shape, &bias));
    }
    return TN_OK;
}

/* The first axis counts samples, all others make up the features. */
static tn_status infer_flattened(tn_infer_call *call, int64_t num_hidden) {
    tn_shape *data = &call->inputs[0].shape;
    int64_t *weight = call->inputs[1].shape.extents;
    tn_shape *output = &call->outputs[0].shape;
    const int64_t extents[2] = {TN_UNKNOWN, num_hidden};
    const tn_shape fact = tn_shape_of(2, extents);
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(infer_same_extent(call->host, "the number of samples in data", &data->extents[0],
                             "that in output", &output->extents[0]));
    if (data->rank == 2) {
        return infer_same_extent(call->host, "the number of features in data", &data->extents[1],
                                 "that in weight", &weight[1]);
    }
    int64_t features = TN_UNKNOWN;
    TN_TRY(infer_extent_product(call->host, data, 1, data->rank, &features));
    return infer_same_extent(call->host, "the number of features in data", &features,
                             "that in weight", &weight[1]);
}

/* The last axis holds the features, the others are the same in data and output. */
static tn_status infer_last_axis(tn_infer_call *call, int64_t num_hidden) {
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    const int32_t rank = data->rank >= 0 ? data->rank : output->rank;
    if (rank < 0) {
        return TN_OK;
    }
    tn_shape fact = *data;
    if (data->rank < 0) {
        fact = *output;
    }
    fact.extents[rank - 1] = num_hidden;
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    fact = *output;
    fact.extents[rank - 1] = call->inputs[1].shape.extents[1];
    TN_TRY(tn_infer_shape(call->host, "data", data, &fact));
    return infer_same_extent(call->host, "the number of features in data", &data->extents[rank - 1],
                             "that in weight", &call->inputs[1].shape.extents[1]);
}

static tn_status infer(tn_infer_call *call) {
    const fully_connected_attributes *attributes = call->attributes;
    const int64_t num_hidden = attributes->num_hidden;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(infer_parameters(call, num_hidden));
    if (call->inputs[0].shape.rank == 0 || call->outputs[0].shape.rank == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "%s is a scalar, an array is expected",
                       call->inputs[0].shape.rank == 0 ? "data" : "output");
    }
    return attributes->flatten ? infer_flattened(call, num_hidden)
                               : infer_last_axis(call, num_hidden);
}

const tn_op fully_connected_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Multiplies the features of each sample by a matrix of weights, one row for each "
           "feature that comes out, and adds a bias.",
    OP_ATTRIBUTES(fields, fully_connected_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
    .gradient = fully_connected_gradient,
};

static matrix_product product_of(const tn_view *const *inputs, const tn_view *const *outputs) {
    const tn_view *weight = inputs[1];
    const tn_view *output = outputs[0];
    const int64_t features = weight->shape[1];
    return (matrix_product){
        .left = {.dtype = weight->dtype,
                 .count = tn_extent_product(output->shape, 0, output->rank - 1),
                 .stride = features,
                 .depth_stride = 1},
        .right = {.dtype = weight->dtype,
                  .count = weight->shape[0],
                  .stride = features,
                  .depth_stride = 1},
        .batch_count = 1,
        .depth = features,
        .result_dtype = output->dtype,
    };
}

/* Weights that never change are packed once, into the state. */
static tn_status prepare(tn_prepare_call *call) {
    matrix_product product = product_of(call->inputs, call->outputs);
    const tn_view *weight = call->inputs[1];
    if (weight->data != NULL && tn_element_count(weight) > 0) {
        TN_TRY(state_allocate(call, matrix_product_right_size(&product), &call->state));
        product.right.data = tn_data(weight);
        matrix_product_pack_right(&product, call->state);
        product.right_panels = call->state;
    }
    const tn_status status = size_request(call, matrix_product_workspace(&product));
    if (status != TN_OK) {
        state_release(call->host, call->state);
        call->state = NULL;
    }
    return status;
}

static tn_status run(const tn_run_call *call) {
    matrix_product product = product_of(call->inputs, call->outputs);
    product.left.data = tn_data(call->inputs[0]);
    product.right.data = tn_data(call->inputs[1]);
    product.right_panels = call->state;
    product.column_bias = call->input_count > 2 ? tn_data(call->inputs[2]) : NULL;
    product.result = tn_data(call->outputs[0]);
    matrix_product_run(call->host, &product, call->workspace);
    return TN_OK;
}

const tn_kernel fully_connected_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "FullyConnected",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .prepare = prepare,
    .run = run,
    .release = state_release,
};
