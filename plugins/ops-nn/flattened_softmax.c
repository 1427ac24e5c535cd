/* The operators onnx.Softmax and onnx.LogSoftmax, which can take several axes as one, and their
 * kernels. */
#include "axis_split.h"
#include "description.h"
#include "element.h"
#include "operators_more.h"
#include "softmax_rows.h"

typedef struct flattened_softmax_attributes {
    int64_t axis;
    int32_t flatten;
} flattened_softmax_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(flattened_softmax_attributes, axis, INT, "-1", "[-32,31]",
             "The axis that is summed over."),
    TN_FIELD(flattened_softmax_attributes, flatten, BOOL, "False", NULL,
             "Takes the axis and all behind it as one, as ONNX did before operator set 13."),
};

static const char *const input_names[] = {"input"};
static const char *const output_names[] = {"output"};

static tn_status infer(tn_infer_call *call) {
    const flattened_softmax_attributes *given = call->attributes;
    int32_t axis = 0;
    TN_TRY(tn_infer_elementwise(call));
    return call->inputs[0].shape.rank < 0
               ? TN_OK
               : tn_resolve_axis(call->host, given->axis, call->inputs[0].shape.rank, &axis);
}

#define SOFTMAX_OP(DOC)                                                                            \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC,                                                     \
        OP_ATTRIBUTES(attributes, flattened_softmax_attributes),                                   \
        OP_NAMES(input_names, output_names), .infer = infer                                        \
    }

const tn_op flattened_softmax_op =
    SOFTMAX_OP("The exponentials of the elements, divided by their sum along an axis.");
const tn_op flattened_log_softmax_op = SOFTMAX_OP("The logarithms of what Softmax gives.");

static tn_status run(const tn_run_call *call, int32_t logarithmic) {
    const flattened_softmax_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, given->axis, data->rank, &axis));
    const softmax_problem problem = {
        .data = data,
        .result = call->outputs[0],
        .split = split_axes(data, axis, given->flatten ? data->rank : axis + 1),
        .divisor = 1,
        .logarithmic = logarithmic,
    };
    run_softmax(call->host, &problem);
    return TN_OK;
}

static tn_status run_plain(const tn_run_call *call) {
    return run(call, 0);
}

static tn_status run_logarithmic(const tn_run_call *call) {
    return run(call, 1);
}

#define SOFTMAX_KERNEL(NAME, RUN)                                                                  \
    {                                                                                              \
        .struct_size = TN_KERNEL_SIZE, .op = NAME, .target = "cpu", .dtypes = floating_dtypes,     \
        .dtype_count = FLOATING_DTYPE_COUNT, .run = RUN                                            \
    }

const tn_kernel flattened_softmax_kernel = SOFTMAX_KERNEL("onnx.Softmax", run_plain);
const tn_kernel flattened_log_softmax_kernel = SOFTMAX_KERNEL("onnx.LogSoftmax", run_logarithmic);
