/* onnx.Reshape: the elements in another shape, which is an input. */
#include "families.h"
#include "integers.h"
#include "operator.h"
#include "shapes.h"

typedef struct reshape_attributes {
    int32_t allowzero;
} reshape_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD(reshape_attributes, allowzero, BOOL, "False", NULL,
             "Whether an extent of 0 means no elements; otherwise it copies the input's extent."),
};

/* What is written in `shape`: 0 copies, -1 is inferred later. `out_inferred` is its axis or -1. */
static tn_status read_shape(const tn_infer_call *call, const integer_list *given,
                            tn_shape *out_shape, int32_t *out_inferred) {
    const reshape_attributes *attributes = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    if (given->count > TN_MAX_RANK) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "shape has %d extents, expected up to %d",
                       (int)given->count, TN_MAX_RANK);
    }
    *out_shape = tn_shape_of_rank(given->count);
    *out_inferred = -1;
    for (int32_t axis = 0; axis < given->count; axis++) {
        const int64_t extent = given->values[axis];
        if (extent < -1 || (extent == -1 && *out_inferred >= 0)) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "shape[%d] is %lld: expected at least -1, and -1 only once", (int)axis,
                           (long long)extent);
        }
        if (extent == -1) {
            *out_inferred = axis;
        } else if (extent > 0 || attributes->allowzero) {
            out_shape->extents[axis] = extent;
        } else if (data->rank >= 0) {
            if (axis >= data->rank) {
                return tn_fail(call->host, TN_INVALID_ARGUMENT,
                               "shape[%d] is 0, but data has only %d axes to copy from", (int)axis,
                               (int)data->rank);
            }
            out_shape->extents[axis] = data->extents[axis];
        }
    }
    return TN_OK;
}

/* The extent at `axis` that makes the counts equal; all others are known. */
static tn_status infer_extent(const tn_infer_call *call, int64_t count, tn_shape *shape,
                              int32_t axis) {
    int64_t others;
    char have[256], want[256];
    tn_shape rest = *shape;
    rest.extents[axis] = 1;
    TN_TRY(count_elements(call->host, &rest, &others));
    if (others < 0) {
        return TN_OK;
    }
    if (others == 0 ? count != 0 : count % others != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "data of shape %s does not fit shape %s",
                       tn_shape_text(&call->inputs[0].shape, have, sizeof have),
                       tn_shape_text(shape, want, sizeof want));
    }
    shape->extents[axis] = others == 0 ? 0 : count / others;
    return TN_OK;
}

static tn_status check_count(const tn_infer_call *call, int64_t count, const tn_shape *shape) {
    int64_t wanted;
    char have[256], want[256];
    TN_TRY(count_elements(call->host, shape, &wanted));
    if (wanted >= 0 && count >= 0 && wanted != count) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data of shape %s has %lld elements, but shape %s has %lld",
                       tn_shape_text(&call->inputs[0].shape, have, sizeof have), (long long)count,
                       tn_shape_text(shape, want, sizeof want), (long long)wanted);
    }
    return TN_OK;
}

static tn_status reshape_infer(tn_infer_call *call) {
    integer_list given;
    tn_shape shape = tn_shape_unknown();
    int64_t count;
    int32_t inferred;
    tn_dtype *data = &call->inputs[0].dtype, *output = &call->outputs[0].dtype;
    TN_TRY(tn_infer_dtype(call->host, "output", output, *data));
    TN_TRY(tn_infer_dtype(call->host, "data", data, *output));
    TN_TRY(tn_infer_dtype(call->host, "shape", &call->inputs[1].dtype, TN_I64));
    TN_TRY(integers_of_input(call, "shape", 1, NULL, &given));
    if (call->input_values[1] == NULL) { /* its length is the output's rank */
        const tn_shape *length = &call->inputs[1].shape;
        if (length->rank == 1 && length->extents[0] >= 0 && length->extents[0] <= TN_MAX_RANK) {
            shape = tn_shape_of_rank((int32_t)length->extents[0]);
        }
        return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &shape);
    }
    TN_TRY(count_elements(call->host, &call->inputs[0].shape, &count));
    TN_TRY(read_shape(call, &given, &shape, &inferred));
    if (inferred >= 0 && count >= 0) {
        TN_TRY(infer_extent(call, count, &shape, inferred));
    }
    TN_TRY(check_count(call, count, &shape));
    return tn_infer_shape(call->host, "output", &call->outputs[0].shape, &shape);
}

static const char *const input_names[] = {"data", "shape"};
static const uint32_t value_inputs[] = {1};

const tn_op reshape_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input's elements in another shape, in the same row-major order. An extent of -1 "
           "is inferred from the number of elements.",
    OP_ATTRIBUTES(attribute_table, reshape_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUT,
    .infer = reshape_infer,
    OP_VALUE_INPUTS(value_inputs),
};

const tn_kernel reshape_kernel = {
    CPU_KERNEL("onnx.Reshape"), .flags = TN_KERNEL_COPIES_INPUT, .in_place = first_to_first,
    .in_place_count = 1,        .run = copy_first_input,
};
