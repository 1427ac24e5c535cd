#include "reduction_operators.h"

#include "gradients.h"
#include "reduction_kernel.h"

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

typedef struct reduction_attributes {
    tn_ints axis;
    int32_t keepdims;
    int32_t exclude;
} reduction_attributes;

static const tn_attribute reduction_table[] = {
    TN_FIELD_OR_NONE(reduction_attributes, axis, INTS, "None", "[-32,31]",
                     "The axes to reduce, negative ones counted from the last; none: all."),
    TN_FIELD(reduction_attributes, keepdims, BOOL, "False", NULL,
             "Whether reduced axes stay, with extent 1."),
    TN_FIELD(reduction_attributes, exclude, BOOL, "False", NULL,
             "Whether the axes named are the ones that are not reduced."),
};

static tn_status infer_same_dtype(tn_infer_call *call) {
    tn_dtype *data = &call->inputs[0].dtype;
    tn_dtype *output = &call->outputs[0].dtype;
    TN_TRY(tn_infer_dtype(call->host, "output", output, *data));
    return tn_infer_dtype(call->host, "data", data, *output);
}

static tn_status infer_reduction(tn_infer_call *call) {
    const reduction_attributes *own = call->attributes;
    const int32_t rank = call->inputs[0].shape.rank;
    TN_TRY(infer_same_dtype(call));
    if (rank < 0) {
        return TN_OK;
    }
    reduced_axes axes;
    TN_TRY(resolve_reduced_axes(call->host, &own->axis, own->exclude, rank, &axes));
    return infer_reduced_shape(call, &axes, own->keepdims);
}

static tn_status infer_choice(tn_infer_call *call) {
    const reduction_attributes *own = call->attributes;
    const int32_t rank = call->inputs[0].shape.rank;
    TN_TRY(infer_reduction(call));
    if (rank < 0) {
        return TN_OK;
    }
    reduced_axes axes;
    TN_TRY(resolve_reduced_axes(call->host, &own->axis, own->exclude, rank, &axes));
    return check_not_empty(call, &axes);
}

/* Repeats the upstream gradient along the axes that were reduced. Axes that are gone from among
 * others cannot be put back without knowing the data's rank. */
static tn_status gradient_of_reduction(tn_gradient_call *call) {
    const reduction_attributes *own = call->attributes;
    if (own->axis.count > 0 && !own->keepdims) {
        return tn_fail(call->host, TN_UNSUPPORTED,
                       "the gradient of a sum over some axes needs keepdims=True");
    }
    return gradient_of_sum(call);
}

static tn_status prepare_reduction(tn_prepare_call *call, fold_kind kind, reduction_finish finish) {
    const reduction_attributes *own = call->attributes;
    reduced_axes axes;
    TN_TRY(
        resolve_reduced_axes(call->host, &own->axis, own->exclude, call->inputs[0]->rank, &axes));
    return prepare_fold(call, &axes, kind, finish);
}

#define DEFINE_REDUCTION_OPERATOR(KEY, FOLD, FINISH, INFER, GRADIENT, DOC)                         \
    const tn_op reduction_operator_##KEY = {                                                       \
        .struct_size = TN_OP_SIZE,                                                                 \
        .doc = DOC " along the axes named.",                                                       \
        .attributes = reduction_table,                                                             \
        .attribute_count = sizeof reduction_table / sizeof *reduction_table,                       \
        .attribute_stride = TN_ATTRIBUTE_STRIDE,                                                   \
        .attributes_size = sizeof(reduction_attributes),                                           \
        .input_names = input_names,                                                                \
        .output_names = output_names,                                                              \
        .input_name_count = 1,                                                                     \
        .output_name_count = 1,                                                                    \
        .infer = INFER,                                                                            \
        .gradient = GRADIENT,                                                                      \
    };                                                                                             \
    tn_status prepare_reduction_##KEY(tn_prepare_call *call) {                                     \
        return prepare_reduction(call, FOLD_##FOLD, FINISH_##FINISH);                              \
    }
REDUCTION_OPERATORS(DEFINE_REDUCTION_OPERATOR)

/* _square_sum */

/* Rows that are not stored have a sum of 0: where rows stay rows, the result is as sparse. */
static tn_status infer_square_sum(tn_infer_call *call) {
    const reduction_attributes *own = call->attributes;
    const int32_t rank = call->inputs[0].shape.rank;
    const uint32_t storage = call->inputs[0].storage;
    TN_TRY(infer_reduction(call));
    if (rank < 0 || storage == TN_STORAGE_UNKNOWN) {
        return TN_OK;
    }
    reduced_axes axes;
    TN_TRY(resolve_reduced_axes(call->host, &own->axis, own->exclude, rank, &axes));
    const int keeps_rows = own->keepdims && rank > 0 && !axes.is_reduced[0];
    return tn_infer_storage(call->host, "output", &call->outputs[0].storage,
                            storage == TN_STORAGE_ROW_SPARSE && keeps_rows ? TN_STORAGE_ROW_SPARSE
                                                                           : TN_STORAGE_DENSE);
}

static tn_status gradient_of_reduced_squares(tn_gradient_call *call) {
    const reduction_attributes *own = call->attributes;
    if (own->axis.count > 0 && !own->keepdims) {
        return tn_fail(call->host, TN_UNSUPPORTED,
                       "the gradient of a sum over some axes needs keepdims=True");
    }
    return gradient_of_square_sum(call);
}

tn_status prepare_square_sum(tn_prepare_call *call) {
    return prepare_reduction(call, FOLD_sum_of_squares, FINISH_NONE);
}

const tn_op square_sum_operator = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_SPARSE,
    .doc = "The sum of the squares along the axes named. Of a row-sparse tensor it is row-sparse "
           "where the first axis is not reduced and keepdims is set.",
    .attributes = reduction_table,
    .attribute_count = sizeof reduction_table / sizeof *reduction_table,
    .attribute_stride = TN_ATTRIBUTE_STRIDE,
    .attributes_size = sizeof(reduction_attributes),
    .input_names = input_names,
    .output_names = output_names,
    .input_name_count = 1,
    .output_name_count = 1,
    .infer = infer_square_sum,
    .gradient = gradient_of_reduced_squares,
};

/* norm */

typedef struct norm_attributes {
    int64_t ord;
    tn_ints axis;
    tn_dtype out_dtype;
    int32_t keepdims;
} norm_attributes;

static const tn_attribute norm_table[] = {
    TN_FIELD(norm_attributes, ord, INT, "2", "[1,2]",
             "1: the sum of the absolute values; 2: the square root of the sum of the squares."),
    TN_FIELD_OR_NONE(norm_attributes, axis, INTS, "None", "[-32,31]",
                     "The axes to reduce, negative ones counted from the last; none: all."),
    TN_FIELD_OR_NONE(norm_attributes, out_dtype, DTYPE, "None", NULL,
                     "The output's dtype; None: the data's."),
    TN_FIELD(norm_attributes, keepdims, BOOL, "False", NULL,
             "Whether reduced axes stay, with extent 1."),
};

static tn_status infer_norm(tn_infer_call *call) {
    const norm_attributes *own = call->attributes;
    const int32_t rank = call->inputs[0].shape.rank;
    if (own->out_dtype != 0) {
        TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, own->out_dtype));
    } else {
        TN_TRY(infer_same_dtype(call));
    }
    if (rank < 0) {
        return TN_OK;
    }
    reduced_axes axes;
    TN_TRY(resolve_reduced_axes(call->host, &own->axis, 0, rank, &axes));
    return infer_reduced_shape(call, &axes, own->keepdims);
}

tn_status prepare_norm(tn_prepare_call *call) {
    const norm_attributes *own = call->attributes;
    reduced_axes axes;
    TN_TRY(resolve_reduced_axes(call->host, &own->axis, 0, call->inputs[0]->rank, &axes));
    return own->ord == 1 ? prepare_fold(call, &axes, FOLD_sum_of_magnitudes, FINISH_NONE)
                         : prepare_fold(call, &axes, FOLD_sum_of_squares, FINISH_SQUARE_ROOT);
}

const tn_op norm_operator = {
    .struct_size = TN_OP_SIZE,
    .doc = "The length of the vectors along the axes named, as the L1 or the L2 norm.",
    .attributes = norm_table,
    .attribute_count = sizeof norm_table / sizeof *norm_table,
    .attribute_stride = TN_ATTRIBUTE_STRIDE,
    .attributes_size = sizeof(norm_attributes),
    .input_names = input_names,
    .output_names = output_names,
    .input_name_count = 1,
    .output_name_count = 1,
    .infer = infer_norm,
};
