/* diag: takes a diagonal out of matrices, or makes a matrix around one. */
#include <stdlib.h>

#include "extents.h"
#include "mover.h"
#include "operator.h"
#include "operators.h"

typedef struct diag_attributes {
    int64_t k;
    int64_t axis1;
    int64_t axis2;
} diag_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(diag_attributes, k, INT, "0", "[-2147483648,2147483647]",
             "Which diagonal: 0 is the main one, above it they are positive, below it negative."),
    TN_FIELD(diag_attributes, axis1, INT, "0", "[-32,31]",
             "The axis of the matrices' rows; has no effect on a vector."),
    TN_FIELD(diag_attributes, axis2, INT, "1", "[-32,31]",
             "The axis of the matrices' columns; has no effect on a vector."),
};

static tn_status resolve_axes(const tn_host *host, const diag_attributes *given, int32_t rank,
                              int32_t *out_rows, int32_t *out_columns) {
    TN_TRY(tn_resolve_axis(host, given->axis1, rank, out_rows));
    TN_TRY(tn_resolve_axis(host, given->axis2, rank, out_columns));
    if (*out_rows == *out_columns) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "axis1 and axis2 are the same axis %d",
                       (int)*out_rows);
    }
    return TN_OK;
}

/* How many elements diagonal k of a matrix has. */
static tn_status diagonal_length(const tn_host *host, int64_t rows, int64_t columns, int64_t k,
                                 int64_t *out_length) {
    *out_length = TN_UNKNOWN;
    if (rows < 0 || columns < 0) {
        return TN_OK;
    }
    if (k > columns || k < -rows) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "a matrix of %lld rows and %lld columns has no diagonal %lld",
                       (long long)rows, (long long)columns, (long long)k);
    }
    const int64_t down = k < 0 ? rows + k : rows;
    const int64_t across = k > 0 ? columns - k : columns;
    *out_length = down < across ? down : across;
    return TN_OK;
}

static tn_status diag_infer(tn_infer_call *call) {
    const diag_attributes *given = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    int32_t rows = 0, columns = 0;
    int64_t length;
    TN_TRY(tn_infer_one_dtype(call));
    if (data->rank < 0) {
        return TN_OK;
    }
    tn_shape fact = tn_shape_of(0, NULL);
    if (data->rank == 1) {
        TN_TRY(extent_add(call->host, data->extents[0], llabs(given->k), &length));
        fact = tn_shape_of(2, (const int64_t[]){length, length});
        return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
    }
    TN_TRY(resolve_axes(call->host, given, data->rank, &rows, &columns));
    TN_TRY(diagonal_length(call->host, data->extents[rows], data->extents[columns], given->k,
                           &length));
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (axis != rows && axis != columns) {
            fact.extents[fact.rank++] = data->extents[axis];
        }
    }
    fact.extents[fact.rank++] = length;
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &fact);
}

/* Where diagonal k begins, given the steps from row to row and from column to column. */
static int64_t diagonal_offset(int64_t k, int64_t row_stride, int64_t column_stride) {
    return k < 0 ? -k * row_stride : k * column_stride;
}

/* A vector becomes a diagonal of a matrix of zeros. */
static void prepare_matrix(const tn_prepare_call *call, int64_t k, move_list *list) {
    const int64_t columns = call->outputs[0]->shape[1];
    strided_copy *copy = &list->moves[0].copy;
    list->fill_size = (uint32_t)TN_DTYPE_SIZE(call->outputs[0]->dtype);
    memset(list->fill, 0, sizeof list->fill);
    strided_copy_add_axis(copy, call->inputs[0]->shape[0], 1, columns + 1);
    strided_copy_offset(copy, 0, diagonal_offset(k, columns, 1));
    strided_copy_finish(copy);
}

tn_status diag_prepare(tn_prepare_call *call) {
    const diag_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    int64_t source[TN_MAX_RANK], target[TN_MAX_RANK];
    int32_t rows = 0, columns = 0, target_axis = 0;
    move_list *list = NULL;
    if (data->rank != 1) {
        TN_TRY(resolve_axes(call->host, given, data->rank, &rows, &columns));
    }
    TN_TRY(move_list_create(call, 1, &list));
    if (data->rank == 1) {
        prepare_matrix(call, given->k, list);
        return TN_OK;
    }
    view_strides(data, source);
    view_strides(output, target);
    strided_copy *copy = &list->moves[0].copy;
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (axis != rows && axis != columns) {
            strided_copy_add_axis(copy, data->shape[axis], source[axis], target[target_axis++]);
        }
    }
    strided_copy_add_axis(copy, output->shape[output->rank - 1], source[rows] + source[columns], 1);
    strided_copy_offset(copy, diagonal_offset(given->k, source[rows], source[columns]), 0);
    strided_copy_finish(copy);
    return TN_OK;
}

const tn_op diag_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Of a vector the square matrix that has it as a diagonal, with zeros elsewhere. Of a "
           "tensor of higher rank the diagonals of the matrices in two of its axes, as a new last "
           "axis.",
    OP_ATTRIBUTES(attribute_table, diag_attributes),
    OP_INPUTS(data_name),
    .infer = diag_infer,
};
