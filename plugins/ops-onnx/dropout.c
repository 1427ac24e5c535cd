/* Dropout where only the run tells whether it is in training mode. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "random.h"

enum { DATA, RATIO, TRAINING_MODE };

typedef struct dropout_attributes {
    double seed; /* NaN: none */
} dropout_attributes;

static const tn_attribute table[] = {
    TN_FIELD_OR_NONE(dropout_attributes, seed, FLOAT, "None", NULL,
                     "The same elements for the same seed; without one it follows from the "
                     "runtime's."),
};

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
    .flags = TN_OP_STATEFUL,
    .doc = "The input as it is, and a mask that is true everywhere. In training mode elements are "
           "0, and false in the mask, with the chance that ratio says, and the others grow so "
           "that the mean stays.",
    OP_ATTRIBUTES(table, dropout_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer,
};

static double number_of(const tn_view *view, double absent) {
    return view == NULL || tn_element_count(view) == 0 ? absent
                                                       : read_number(view->dtype, tn_data(view), 0);
}

static tn_status prepare(tn_prepare_call *call) {
    const dropout_attributes *own = call->attributes;
    return keep_random_source(call, own->seed);
}

static void drop_elements(const tn_run_call *call, double ratio) {
    const tn_view *data = call->inputs[DATA], *output = call->outputs[0];
    random_source *source = random_resume(call);
    uint8_t *mask = tn_data(call->outputs[1]);
    for (int64_t i = 0; i < tn_element_count(data); i++) {
        mask[i] = random_uniform(source) >= ratio;
        const double kept = mask[i] ? number_at(data->dtype, tn_data(data), i) / (1 - ratio) : 0;
        write_number(output->dtype, tn_data(output), i, kept);
    }
}

static tn_status run(const tn_run_call *call) {
    const double ratio = number_of(run_input(call, RATIO), 0.5);
    if (number_of(run_input(call, TRAINING_MODE), 0) != 0 && ratio != 0) {
        if (!(ratio >= 0 && ratio < 1)) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT, "ratio %g: expected one from 0 to 1",
                           ratio);
        }
        drop_elements(call, ratio);
        return TN_OK;
    }
    if (tn_data(call->outputs[0]) != tn_data(call->inputs[DATA])) {
        memcpy(tn_data(call->outputs[0]), tn_data(call->inputs[DATA]),
               tn_byte_size(call->outputs[0]));
    }
    memset(tn_data(call->outputs[1]), 1, tn_byte_size(call->outputs[1]));
    return TN_OK;
}

const tn_kernel dropout_kernel = {
    CPU_KERNEL("onnx.Dropout"), .prepare = prepare, .in_place = first_to_first,
    .in_place_count = 1,        .run = run,         .release = drop_random_source};
