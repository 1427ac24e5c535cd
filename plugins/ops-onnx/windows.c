/* HannWindow, HammingWindow and BlackmanWindow: sums of cosines over a number of samples. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

typedef struct window_attributes {
    tn_dtype output_datatype;
    int32_t periodic;
} window_attributes;

static const tn_attribute table[] = {
    TN_FIELD(window_attributes, output_datatype, DTYPE, "float32", NULL, "The output's dtype."),
    TN_FIELD(window_attributes, periodic, BOOL, "True", NULL,
             "Whether the window goes on with its first sample, otherwise it is symmetric."),
};

static const char *const input_names[] = {"size"};
static const char *const output_names[] = {"output"};
static const uint32_t value_inputs[] = {0};

static tn_status infer(tn_infer_call *call) {
    const window_attributes *own = call->attributes;
    const tn_view *size = call->input_values[0];
    int64_t count = TN_UNKNOWN;
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, own->output_datatype));
    if (size != NULL) {
        TN_TRY(single_integer(call->host, "size", size, &count));
        if (count < 0) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "size is %lld", (long long)count);
        }
    }
    const tn_shape result = tn_shape_of(1, &count);
    return infer_output_shape(call, &result);
}

#define WINDOW_OP(DOC)                                                                             \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(table, window_attributes),            \
        OP_INPUTS(input_names), OP_OUTPUTS(output_names), OP_VALUE_INPUTS(value_inputs),           \
        .infer = infer                                                                             \
    }

const tn_op hann_window_op = WINDOW_OP("A Hann window of the size that the input holds.");
const tn_op hamming_window_op = WINDOW_OP("A Hamming window of the size that the input holds.");
const tn_op blackman_window_op = WINDOW_OP("A Blackman window of the size that the input holds.");

#define TWO_PI 6.28318530717958647693

static tn_status run(const tn_run_call *call, double mean, double first, double second) {
    const window_attributes *own = call->attributes;
    const tn_view *size = call->inputs[0], *output = call->outputs[0];
    int64_t count = 0;
    TN_TRY(single_integer(call->host, "size", size, &count));
    const tn_shape result = tn_shape_of(1, &count);
    TN_TRY(check_planned_shape(call->host, output, &result));
    const double period = (double)(own->periodic ? count : count - 1);
    for (int64_t i = 0; i < count; i++) {
        const double angle = period > 0 ? TWO_PI * (double)i / period : 0;
        write_number(output->dtype, tn_data(output), i,
                     mean - first * cos(angle) + second * cos(2 * angle));
    }
    return TN_OK;
}

static tn_status run_hann(const tn_run_call *call) {
    return run(call, 0.5, 0.5, 0);
}

static tn_status run_hamming(const tn_run_call *call) {
    return run(call, 25.0 / 46, 21.0 / 46, 0);
}

static tn_status run_blackman(const tn_run_call *call) {
    return run(call, 0.42, 0.5, 0.08);
}

const tn_kernel hann_window_kernel = {CPU_KERNEL("onnx.HannWindow"), .run = run_hann};
const tn_kernel hamming_window_kernel = {CPU_KERNEL("onnx.HammingWindow"), .run = run_hamming};
const tn_kernel blackman_window_kernel = {CPU_KERNEL("onnx.BlackmanWindow"), .run = run_blackman};
