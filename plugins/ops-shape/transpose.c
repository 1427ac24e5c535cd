/* transpose and SwapAxis: the axes in another order. */
#include "extents.h"
#include "mover.h"
#include "operator.h"
#include "operators.h"

typedef struct transpose_attributes {
    tn_ints axes;
} transpose_attributes;

static const tn_attribute transpose_table[] = {
    TN_FIELD(transpose_attributes, axes, INTS, "()", "[-32,31]",
             "For each axis of the output the axis of the input that it is; empty reverses them."),
};

typedef struct swap_axis_attributes {
    int64_t dim1;
    int64_t dim2;
} swap_axis_attributes;

static const tn_attribute swap_axis_table[] = {
    TN_FIELD(swap_axis_attributes, dim1, INT, "0", "[-32,31]", "One of the axes to exchange."),
    TN_FIELD(swap_axis_attributes, dim2, INT, "0", "[-32,31]", "The other axis."),
};

/* For each axis of the output the axis of the input. */
static tn_status transpose_order(const tn_host *host, const transpose_attributes *given,
                                 int32_t rank, int32_t order[TN_MAX_RANK]) {
    unsigned char marked[TN_MAX_RANK];
    if (given->axes.count == 0) {
        for (int32_t axis = 0; axis < rank; axis++) {
            order[axis] = rank - 1 - axis;
        }
        return TN_OK;
    }
    if (given->axes.count != rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "axes has %lld items, but the input has rank %d",
                       (long long)given->axes.count, (int)rank);
    }
    TN_TRY(mark_axes(host, &given->axes, rank, 1, marked));
    for (int32_t axis = 0; axis < rank; axis++) {
        TN_TRY(tn_resolve_axis(host, given->axes.values[axis], rank, &order[axis]));
    }
    return TN_OK;
}

static tn_status swap_axis_order(const tn_host *host, const swap_axis_attributes *given,
                                 int32_t rank, int32_t order[TN_MAX_RANK]) {
    int32_t first = 0, second = 0;
    TN_TRY(tn_resolve_axis(host, given->dim1, rank, &first));
    TN_TRY(tn_resolve_axis(host, given->dim2, rank, &second));
    for (int32_t axis = 0; axis < rank; axis++) {
        order[axis] = axis;
    }
    order[first] = second;
    order[second] = first;
    return TN_OK;
}

/* Both directions: what is known of an axis on one side is known on the other. */
static tn_status infer_order(tn_infer_call *call, int32_t rank, const int32_t order[TN_MAX_RANK]) {
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    tn_shape fact = tn_shape_of_rank(rank);
    TN_TRY(tn_infer_shape(call->host, "data", data, &fact));
    for (int32_t axis = 0; axis < rank; axis++) {
        fact.extents[axis] = data->extents[order[axis]];
    }
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    for (int32_t axis = 0; axis < rank; axis++) {
        data->extents[order[axis]] = output->extents[axis];
    }
    return tn_infer_one_dtype(call);
}

static int32_t known_rank(const tn_infer_call *call) {
    const int32_t rank = call->inputs[0].shape.rank;
    return rank >= 0 ? rank : call->outputs[0].shape.rank;
}

static tn_status transpose_infer(tn_infer_call *call) {
    const transpose_attributes *given = call->attributes;
    const int32_t rank = known_rank(call);
    int32_t order[TN_MAX_RANK];
    if (rank < 0) {
        return tn_infer_one_dtype(call);
    }
    TN_TRY(transpose_order(call->host, given, rank, order));
    return infer_order(call, rank, order);
}

static tn_status swap_axis_infer(tn_infer_call *call) {
    const swap_axis_attributes *given = call->attributes;
    const int32_t rank = known_rank(call);
    int32_t order[TN_MAX_RANK];
    if (rank < 0) {
        return tn_infer_one_dtype(call);
    }
    TN_TRY(swap_axis_order(call->host, given, rank, order));
    return infer_order(call, rank, order);
}

static tn_status prepare_order(tn_prepare_call *call, const int32_t order[TN_MAX_RANK]) {
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    int64_t source[TN_MAX_RANK], target[TN_MAX_RANK];
    move_list *list = NULL;
    TN_TRY(move_list_create(call, 1, &list));
    view_strides(data, source);
    view_strides(output, target);
    strided_copy *copy = &list->moves[0].copy;
    for (int32_t axis = 0; axis < output->rank; axis++) {
        strided_copy_add_axis(copy, output->shape[axis], source[order[axis]], target[axis]);
    }
    strided_copy_finish(copy);
    return TN_OK;
}

tn_status transpose_prepare(tn_prepare_call *call) {
    int32_t order[TN_MAX_RANK];
    TN_TRY(transpose_order(call->host, call->attributes, call->outputs[0]->rank, order));
    return prepare_order(call, order);
}

tn_status swap_axis_prepare(tn_prepare_call *call) {
    int32_t order[TN_MAX_RANK];
    TN_TRY(swap_axis_order(call->host, call->attributes, call->outputs[0]->rank, order));
    return prepare_order(call, order);
}

/* The gradient goes back by the inverse order. Axes counted from the back are possible only with
 * the number of axes at hand, which is the length of the list. */
static tn_status transpose_gradient(tn_gradient_call *call) {
    const transpose_attributes *given = call->attributes;
    const int32_t rank = (int32_t)given->axes.count;
    int32_t order[TN_MAX_RANK], inverse[TN_MAX_RANK];
    char text[TN_MAX_RANK * 4 + 3];
    size_t used = 1;
    if (call->output_gradients[0].node == TN_NO_NODE) {
        return TN_OK;
    }
    TN_TRY(transpose_order(call->host, given, rank, order));
    for (int32_t axis = 0; axis < rank; axis++) {
        inverse[order[axis]] = axis;
    }
    text[0] = '(';
    for (int32_t axis = 0; axis < rank; axis++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,", (int)inverse[axis]);
    }
    snprintf(text + used, sizeof text - used, ")");
    const tn_option axes = {"axes", text};
    return gradient_add_node(call, "transpose", &axes, 1, call->output_gradients, 1);
}

static tn_status swap_axis_gradient(tn_gradient_call *call) {
    const swap_axis_attributes *given = call->attributes;
    char first[24], second[24];
    if (call->output_gradients[0].node == TN_NO_NODE) {
        return TN_OK;
    }
    snprintf(first, sizeof first, "%lld", (long long)given->dim1);
    snprintf(second, sizeof second, "%lld", (long long)given->dim2);
    const tn_option dims[] = {{"dim1", first}, {"dim2", second}};
    return gradient_add_node(call, "SwapAxis", dims, COUNT_OF(dims), call->output_gradients, 1);
}

const tn_op transpose_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input with its axes in another order.",
    OP_ATTRIBUTES(transpose_table, transpose_attributes),
    OP_INPUTS(data_name),
    .infer = transpose_infer,
    .gradient = transpose_gradient,
};

const tn_op swap_axis_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input with two of its axes exchanged.",
    OP_ATTRIBUTES(swap_axis_table, swap_axis_attributes),
    OP_INPUTS(data_name),
    .infer = swap_axis_infer,
    .gradient = swap_axis_gradient,
};
