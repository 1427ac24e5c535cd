/* Dropout as inference has it, where only the run tells whether it is in training mode. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"

enum { DATA, RATIO, TRAINING_MODE };

static const char *const input_names[] = {"data", "ratio", "training_mode"};
static const char *const output_names[] = {"output", "mask"};
static const uint32_t optional[] = {RATIO, TRAINING_MODE};

static tn_status infer(tn_infer_call *call) {
    TN_TRY(infer_output_like(call, DATA));
    TN_TRY(tn_infer_dtype(call->host, "mask", &call->outputs[1].dtype, TN_BOOL));
    return tn_infer_same_shape(call->host, "mask", &call->outputs[1].shape,
                               &call->inputs[DATA].shape);
}

const tn_op dropout_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input as it is, and a mask that is true everywhere. Dropping elements, in training "
           "mode and with a ratio above 0, is not supported.",
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer,
};

static double number_of(const tn_view *view, double absent) {
    return view == NULL || tn_element_count(view) == 0 ? absent
                                                       : read_number(view->dtype, tn_data(view), 0);
}

static tn_status run(const tn_run_call *call) {
    if (number_of(run_input(call, TRAINING_MODE), 0) != 0 &&
        number_of(run_input(call, RATIO), 0.5) != 0) {
        return tn_fail(call->host, TN_UNSUPPORTED, "it is in training mode");
    }
    if (tn_data(call->outputs[0]) != tn_data(call->inputs[DATA])) {
        memcpy(tn_data(call->outputs[0]), tn_data(call->inputs[DATA]),
               tn_byte_size(call->outputs[0]));
    }
    memset(tn_data(call->outputs[1]), 1, tn_byte_size(call->outputs[1]));
    return TN_OK;
}

const tn_kernel dropout_kernel = {CPU_KERNEL("onnx.Dropout"), .in_place = first_to_first,
                                  .in_place_count = 1, .run = run};
