/* Range, EyeLike and OneHot: tensors made by a rule. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

static const char *const output_names[] = {"output"};

/* Range */

static const char *const range_names[] = {"start", "limit", "delta"};
static const uint32_t range_values[] = {0, 1, 2};

static tn_status range_count(const tn_host *host, const tn_view *const *inputs,
                             int64_t *out_count) {
    const tn_dtype dtype = inputs[0]->dtype;
    double count = 0;
    for (int i = 0; i < 3; i++) {
        if (tn_element_count(inputs[i]) != 1) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "input %d is not a scalar", i);
        }
    }
    if (is_floating(dtype)) {
        const double start = read_number(dtype, tn_data(inputs[0]), 0);
        const double limit = read_number(inputs[1]->dtype, tn_data(inputs[1]), 0);
        const double delta = read_number(inputs[2]->dtype, tn_data(inputs[2]), 0);
        count = ceil((limit - start) / delta);
    } else {
        const int64_t start = read_integer(dtype, tn_data(inputs[0]), 0);
        const int64_t limit = read_integer(inputs[1]->dtype, tn_data(inputs[1]), 0);
        const int64_t delta = read_integer(inputs[2]->dtype, tn_data(inputs[2]), 0);
        const double span = (double)limit - (double)start;
        count = delta == 0 ? NAN : ceil(span / (double)delta);
    }
    if (!(fabs(count) < 0x1p53)) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "start, limit and delta make no range");
    }
    *out_count = count > 0 ? (int64_t)count : 0;
    return TN_OK;
}

static tn_status infer_range(tn_infer_call *call) {
    int64_t count = TN_UNKNOWN;
    for (uint32_t i = 0; i < 3; i++) {
        TN_TRY(infer_output_dtype_like(call, i));
    }
    if (call->input_values[0] != NULL && call->input_values[1] != NULL &&
        call->input_values[2] != NULL) {
        TN_TRY(range_count(call->host, call->input_values, &count));
    }
    const tn_shape result = tn_shape_of(1, &count);
    return infer_output_shape(call, &result);
}

const tn_op range_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The numbers start, start + delta, … before limit.",
    OP_INPUTS(range_names),
    OP_OUTPUTS(output_names),
    OP_VALUE_INPUTS(range_values),
    .infer = infer_range,
};

static tn_status run_range(const tn_run_call *call) {
    const tn_view *output = call->outputs[0];
    const tn_dtype dtype = output->dtype;
    int64_t count = 0;
    TN_TRY(range_count(call->host, call->inputs, &count));
    const tn_shape result = tn_shape_of(1, &count);
    TN_TRY(check_planned_shape(call->host, output, &result));
    const double start = read_number(dtype, tn_data(call->inputs[0]), 0);
    const double delta = read_number(dtype, tn_data(call->inputs[2]), 0);
    const uint64_t first = (uint64_t)read_integer(dtype, tn_data(call->inputs[0]), 0);
    const uint64_t step = (uint64_t)read_integer(dtype, tn_data(call->inputs[2]), 0);
    for (int64_t i = 0; i < count; i++) {
        if (is_floating(dtype)) {
            write_number(dtype, tn_data(output), i, start + (double)i * delta);
        } else {
            write_integer(dtype, tn_data(output), i, (int64_t)(first + (uint64_t)i * step));
        }
    }
    return TN_OK;
}

const tn_kernel range_kernel = {CPU_KERNEL("onnx.Range"), .run = run_range};

/* EyeLike */

typedef struct eye_attributes {
    tn_dtype dtype;
    int64_t k;
} eye_attributes;

static const tn_attribute eye_table[] = {
    TN_FIELD_OR_NONE(eye_attributes, dtype, DTYPE, "None", NULL,
                     "The output's dtype; None: the input's."),
    TN_FIELD(eye_attributes, k, INT, "0", NULL,
             "Which diagonal holds the ones: 0 the main one, above 0 an upper one."),
};

static const char *const eye_names[] = {"input"};

static tn_status infer_eye(tn_infer_call *call) {
    const eye_attributes *own = call->attributes;
    const tn_shape matrix = tn_shape_of_rank(2);
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype,
                          own->dtype != 0 ? own->dtype : call->inputs[0].dtype));
    TN_TRY(tn_infer_shape(call->host, "the input", &call->inputs[0].shape, &matrix));
    return tn_infer_same_shape(call->host, "the output", &call->outputs[0].shape,
                               &call->inputs[0].shape);
}

const tn_op eye_like_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A matrix of the input's shape with ones on a diagonal and zeros elsewhere.",
    OP_ATTRIBUTES(eye_table, eye_attributes),
    OP_INPUTS(eye_names),
    OP_OUTPUTS(output_names),
    .infer = infer_eye,
};

static tn_status run_eye(const tn_run_call *call) {
    const eye_attributes *own = call->attributes;
    const tn_view *output = call->outputs[0];
    const int64_t columns = output->shape[1];
    memset(tn_data(output), 0, tn_byte_size(output));
    for (int64_t row = 0; row < output->shape[0]; row++) {
        int64_t column = 0;
        if (!__builtin_add_overflow(row, own->k, &column) && column >= 0 && column < columns) {
            write_number(output->dtype, tn_data(output), row * columns + column, 1);
        }
    }
    return TN_OK;
}

const tn_kernel eye_like_kernel = {CPU_KERNEL("onnx.EyeLike"), .run = run_eye};

/* OneHot */

typedef struct one_hot_attributes {
    int64_t axis;
} one_hot_attributes;

static const tn_attribute one_hot_table[] = {
    TN_FIELD(one_hot_attributes, axis, INT, "-1", "[-32,31]", "The place of the new axis."),
};

static const char *const one_hot_names[] = {"indices", "depth", "values"};
static const uint32_t one_hot_values[] = {1};

static tn_status infer_one_hot(tn_infer_call *call) {
    const one_hot_attributes *own = call->attributes;
    const tn_shape *indices = &call->inputs[0].shape;
    const tn_view *depth = call->input_values[1];
    int32_t axis = 0;
    TN_TRY(infer_output_dtype_like(call, 2));
    if (indices->rank < 0) {
        return TN_OK;
    }
    if (indices->rank == TN_MAX_RANK) {
        return tn_fail(call->host, TN_OUT_OF_RANGE, "the output would have too many axes");
    }
    tn_shape result = tn_shape_of_rank(indices->rank + 1);
    TN_TRY(tn_resolve_axis(call->host, own->axis, result.rank, &axis));
    for (int32_t i = 0; i < indices->rank; i++) {
        result.extents[i < axis ? i : i + 1] = indices->extents[i];
    }
    if (depth != NULL) {
        const int64_t extent =
            tn_element_count(depth) == 1 ? read_integer(depth->dtype, tn_data(depth), 0) : -1;
        if (extent < 0) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "depth is not one number from 0 on");
        }
        result.extents[axis] = extent;
    }
    return infer_output_shape(call, &result);
}

const tn_op one_hot_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each index a vector along a new axis, with the second of the two values at the "
           "index and the first elsewhere. An index beyond depth gives no second value.",
    OP_ATTRIBUTES(one_hot_table, one_hot_attributes),
    OP_INPUTS(one_hot_names),
    OP_OUTPUTS(output_names),
    OP_VALUE_INPUTS(one_hot_values),
    .infer = infer_one_hot,
};

static tn_status run_one_hot(const tn_run_call *call) {
    const one_hot_attributes *own = call->attributes;
    const tn_view *indices = call->inputs[0], *values = call->inputs[2], *output = call->outputs[0];
    const size_t size = TN_DTYPE_SIZE(output->dtype);
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, output->rank, &axis));
    const int64_t depth = output->shape[axis];
    if (tn_element_count(values) != 2 || tn_element_count(call->inputs[1]) != 1 ||
        read_integer(call->inputs[1]->dtype, tn_data(call->inputs[1]), 0) != depth) {
        return tn_fail(call->host, TN_FAILED_PRECONDITION,
                       "values are not two, or depth is not what the plan was made for");
    }
    const int64_t inner = tn_extent_product(output->shape, axis + 1, output->rank);
    const int64_t count = tn_element_count(indices);
    for (int64_t i = 0; i < count; i++) {
        int64_t index = read_integer(indices->dtype, tn_data(indices), i);
        index = index < 0 ? index + depth : index;
        for (int64_t k = 0; k < depth; k++) {
            const int64_t target = (i / inner * depth + k) * inner + i % inner;
            copy_element((char *)tn_data(output) + (size_t)target * size,
                         (const char *)tn_data(values) + (k == index ? size : 0), size);
        }
    }
    return TN_OK;
}

const tn_kernel one_hot_kernel = {CPU_KERNEL("onnx.OneHot"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                  .run = run_one_hot};
