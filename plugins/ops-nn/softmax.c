/* The operators softmax, log_softmax and softmin, and their kernels. */
#include "description.h"
#include "floating.h"
#include "operators_more.h"
#include "sequence_length.h"
#include "softmax_rows.h"

typedef struct softmax_attributes {
    int64_t axis;
    double temperature;
    tn_dtype dtype;
    int32_t use_length;
} softmax_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(softmax_attributes, axis, INT, "-1", "[-32,31]", "The axis that is summed over."),
    TN_FIELD_OR_NONE(softmax_attributes, temperature, FLOAT, "None", NULL,
                     "Divides the elements first; 1 when None."),
    TN_FIELD_OR_NONE(softmax_attributes, dtype, DTYPE, "None", NULL,
                     "The floating type of the output; that of data when None."),
    TN_FIELD_OR_NONE(softmax_attributes, use_length, BOOL, "False", NULL,
                     "Takes the input length, which says how many elements along the axis count; "
                     "the others give 0. For softmax only."),
};

static const char *const input_names[] = {"data", "length"};
static const char *const output_names[] = {"output"};

/* None, which is stored as -1, is no. */
static int uses_length(const softmax_attributes *given) {
    return given->use_length == 1;
}

static tn_status check_dtype(const tn_host *host, tn_dtype dtype) {
    if (dtype == 0 || is_floating_dtype(dtype)) {
        return TN_OK;
    }
    return tn_fail(host, TN_INVALID_ARGUMENT, "dtype=%s, but a floating type is expected",
                   tn_dtype_name(dtype));
}

static tn_status arity_with_length(tn_arity_call *call) {
    const softmax_attributes *given = call->attributes;
    call->input_count = uses_length(given) ? 2 : 1;
    return check_dtype(call->host, given->dtype);
}

static tn_status arity(tn_arity_call *call) {
    const softmax_attributes *given = call->attributes;
    if (uses_length(given)) {
        return tn_fail(call->host, TN_UNSUPPORTED,
                       "use_length=True, but only the operator softmax has an input length");
    }
    return check_dtype(call->host, given->dtype);
}

static tn_status infer(tn_infer_call *call) {
    const softmax_attributes *given = call->attributes;
    tn_tensor_type *data = &call->inputs[0];
    tn_tensor_type *output = &call->outputs[0];
    TN_TRY(tn_infer_same_shape(call->host, "data", &data->shape, &output->shape));
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype,
                          given->dtype != 0 ? given->dtype : data->dtype));
    if (given->dtype == 0) {
        TN_TRY(tn_infer_dtype(call->host, "data", &data->dtype, output->dtype));
    }
    if (data->shape.rank < 0) {
        return TN_OK;
    }
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, given->axis, data->shape.rank, &axis));
    if (call->input_count < 2) {
        return TN_OK;
    }
    const tn_shape length = shape_without_axis(&data->shape, axis);
    return tn_infer_shape(call->host, "length", &call->inputs[1].shape, &length);
}

#define SOFTMAX_OP(DOC, INPUT_COUNT, ARITY)                                                        \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(attributes, softmax_attributes),      \
        .input_names = input_names, .input_name_count = INPUT_COUNT, .output_names = output_names, \
        .output_name_count = 1, .arity = ARITY, .infer = infer                                     \
    }

const tn_op softmax_op =
    SOFTMAX_OP("The exponentials of the elements, divided by their sum along an axis, so that they "
               "are positive and add up to 1.",
               2, arity_with_length);
const tn_op log_softmax_op =
    SOFTMAX_OP("The logarithms of what softmax gives, without the loss of digits that two steps "
               "would have.",
               1, arity);
const tn_op softmin_op = SOFTMAX_OP("The softmax of the negated elements.", 1, arity);

static int32_t supports(const tn_kernel_query *query) {
    return supports_floating_data(query) &&
           (query->input_count < 2 || is_sequence_length_dtype(query->inputs[1].dtype));
}

static tn_status run(const tn_run_call *call, double sign, int32_t logarithmic) {
    const softmax_attributes *given = call->attributes;
    const int has_temperature = given->temperature == given->temperature;
    const softmax_problem problem = {
        .data = call->inputs[0],
        .result = call->outputs[0],
        .split = split_axis(call->inputs[0], given->axis),
        .divisor = sign * (has_temperature ? given->temperature : 1),
        .logarithmic = logarithmic,
        .lengths = call->input_count > 1 ? call->inputs[1] : NULL,
    };
    run_softmax(call->host, &problem);
    return TN_OK;
}

static tn_status run_softmax_op(const tn_run_call *call) {
    return run(call, 1, 0);
}

static tn_status run_log_softmax(const tn_run_call *call) {
    return run(call, 1, 1);
}

static tn_status run_softmin(const tn_run_call *call) {
    return run(call, -1, 0);
}

static const tn_in_place in_place[] = {{0, 0}};

#define SOFTMAX_KERNEL(NAME, RUN)                                                                  \
    {                                                                                              \
        .struct_size = TN_KERNEL_SIZE, .op = NAME, .target = "cpu", .in_place = in_place,          \
        .in_place_count = 1, .supports = supports, .run = RUN                                      \
    }

const tn_kernel softmax_kernel = SOFTMAX_KERNEL("softmax", run_softmax_op);
const tn_kernel log_softmax_kernel = SOFTMAX_KERNEL("log_softmax", run_log_softmax);
const tn_kernel softmin_kernel = SOFTMAX_KERNEL("softmin", run_softmin);
