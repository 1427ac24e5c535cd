#include "named_axes_reductions.h"

#include "element.h"
#include "reduction_kernel.h"

typedef struct reduction_attributes {
    tn_ints axes;
    int32_t keepdims;
    int32_t noop_with_empty_axes;
} reduction_attributes;

static const tn_attribute table[] = {
    TN_FIELD_OR_NONE(reduction_attributes, axes, INTS, "None", "[-32,31]",
                     "The axes to reduce, when they are not an input; none: all."),
    TN_FIELD(reduction_attributes, keepdims, BOOL, "True", NULL,
             "Whether reduced axes stay, with extent 1."),
    TN_FIELD(reduction_attributes, noop_with_empty_axes, BOOL, "False", NULL,
             "Whether without axes none is reduced, otherwise all are."),
};

static const char *const input_names[] = {"data", "axes"};
static const char *const output_names[] = {"reduced"};
static const uint32_t axes_input[] = {1};

/* From the input's elements, unless `view` is NULL, or from the attribute. */
static tn_status find_axes(const tn_host *host, const reduction_attributes *own,
                           const tn_view *view, int32_t rank, reduced_axes *out_axes) {
    int64_t values[TN_MAX_RANK];
    tn_ints named = own->axes;
    if (view != NULL) {
        named = (tn_ints){tn_element_count(view), values};
        if (named.count > TN_MAX_RANK || view->dtype != TN_I64) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "axes are %lld of %s, expected int64",
                           (long long)named.count, tn_dtype_name(view->dtype));
        }
        if (named.count > 0) {
            memcpy(values, tn_data(view), (size_t)named.count * sizeof *values);
        }
    }
    if (named.count <= 0 && own->noop_with_empty_axes) {
        memset(out_axes, 0, sizeof *out_axes);
        return TN_OK;
    }
    return resolve_reduced_axes(host, &named, 0, rank, out_axes);
}

/* What is left of the data's shape: a scalar where all axes go. */
static tn_shape reduced_shape(const tn_shape *data, const reduced_axes *axes, int keepdims) {
    tn_shape result = tn_shape_of(0, NULL);
    for (int32_t axis = 0; axis < data->rank; axis++) {
        if (!axes->is_reduced[axis] || keepdims) {
            result.extents[result.rank++] = axes->is_reduced[axis] ? 1 : data->extents[axis];
        }
    }
    return result;
}

static tn_status infer(tn_infer_call *call) {
    const reduction_attributes *own = call->attributes;
    const int32_t rank = call->inputs[0].shape.rank;
    const int has_input = call->inputs[1].dtype != 0 || call->inputs[1].shape.rank >= 0;
    reduced_axes axes;
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, call->inputs[0].dtype));
    TN_TRY(tn_infer_dtype(call->host, "data", &call->inputs[0].dtype, call->outputs[0].dtype));
    if (rank < 0) {
        return TN_OK;
    }
    if (has_input && call->input_values[1] == NULL) {
        const tn_shape kept = tn_shape_of_rank(rank);
        return own->keepdims ? tn_infer_shape(call->host, "output", &call->outputs[0].shape, &kept)
                             : TN_OK;
    }
    TN_TRY(find_axes(call->host, own, call->input_values[1], rank, &axes));
    const tn_shape result = reduced_shape(&call->inputs[0].shape, &axes, own->keepdims);
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &result);
}

/* Axes that the graph computes are known when the run begins: then there is no state. */
static tn_status prepare_reduction(tn_prepare_call *call, fold_kind kind, reduction_finish finish) {
    const tn_view *view = call->inputs[1];
    reduced_axes axes;
    if (view != NULL && view->data == NULL && tn_element_count(view) > 0) {
        return TN_OK;
    }
    TN_TRY(find_axes(call->host, call->attributes, view, call->inputs[0]->rank, &axes));
    return prepare_fold(call, &axes, kind, finish);
}

static tn_status run_reduction(const tn_run_call *call, fold_kind kind, reduction_finish finish) {
    const reduction_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    reduced_axes axes;
    if (call->state != NULL) {
        return fold_run(call);
    }
    TN_TRY(find_axes(call->host, own, call->inputs[1], data->rank, &axes));
    const tn_shape shape = tn_shape_of(data->rank, data->shape);
    const tn_shape wanted = reduced_shape(&shape, &axes, own->keepdims);
    tn_shape planned = tn_shape_of(output->rank, output->shape);
    TN_TRY(tn_infer_shape(call->host, "the output that was planned", &planned, &wanted));
    run_unprepared_fold(call, &axes, kind, finish);
    return TN_OK;
}

#define DEFINE_NAMED_AXES(NAME, FOLD, FINISH, DOC)                                                 \
    const tn_op named_axes_##NAME = {                                                              \
        .struct_size = TN_OP_SIZE,                                                                 \
        .doc = DOC " along some axes, or all.",                                                    \
        .attributes = table,                                                                       \
        .attribute_count = sizeof table / sizeof *table,                                           \
        .attribute_stride = TN_ATTRIBUTE_STRIDE,                                                   \
        .attributes_size = sizeof(reduction_attributes),                                           \
        .input_names = input_names,                                                                \
        .output_names = output_names,                                                              \
        .input_name_count = 2,                                                                     \
        .output_name_count = 1,                                                                    \
        .optional_inputs = axes_input,                                                             \
        .optional_input_count = 1,                                                                 \
        .value_inputs = axes_input,                                                                \
        .value_input_count = 1,                                                                    \
        .infer = infer,                                                                            \
    };                                                                                             \
    tn_status prepare_named_axes_##NAME(tn_prepare_call *call) {                                   \
        return prepare_reduction(call, FOLD_##FOLD, FINISH_##FINISH);                              \
    }                                                                                              \
    tn_status run_named_axes_##NAME(const tn_run_call *call) {                                     \
        return run_reduction(call, FOLD_##FOLD, FINISH_##FINISH);                                  \
    }
NAMED_AXES_REDUCTIONS(DEFINE_NAMED_AXES)
