/* Optional values: a tensor or sequence itself, or nothing (tenon/plugin/sequence.h). */
#include "families.h"
#include "operator.h"
#include "sequence.h"

static const char *const output_names[] = {"output"};
static const char *const input_names[] = {"input"};
static const uint32_t optional[] = {0};

/* OptionalEmpty */

static tn_status infer_empty(tn_infer_call *call) {
    const int64_t size = 0;
    const tn_shape shape = tn_shape_of(1, &size);
    TN_TRY(infer_sequence(call, 0));
    return tn_infer_shape(call->host, "the output", &call->outputs[0].shape, &shape);
}

static tn_status run_empty(const tn_run_call *call) {
    (void)call; /* there is no byte to write */
    return TN_OK;
}

const tn_op optional_empty_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "An optional value without one.",
    OP_OUTPUTS(output_names),
    .infer = infer_empty,
};
const tn_kernel optional_empty_kernel = {CPU_KERNEL("onnx.OptionalEmpty"),
                                         .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_empty};

/* OptionalHasElement */

static tn_status infer_has(tn_infer_call *call) {
    const tn_shape scalar = tn_shape_of(0, NULL);
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, TN_BOOL));
    return tn_infer_shape(call->host, "the output", &call->outputs[0].shape, &scalar);
}

static tn_status run_has(const tn_run_call *call) {
    const int has = call->inputs[0] != NULL && !tn_sequence_is_nothing(call->inputs[0]);
    *(uint8_t *)tn_data(call->outputs[0]) = (uint8_t)has;
    return TN_OK;
}

const tn_op optional_has_element_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_READS_TYPES,
    .doc = "Whether an optional value has one.",
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer_has,
};
const tn_kernel optional_has_element_kernel = {CPU_KERNEL("onnx.OptionalHasElement"),
                                               .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_has};

/* OptionalGetElement */

static tn_status infer_get(tn_infer_call *call) {
    tn_tensor_type *input = &call->inputs[0], *output = &call->outputs[0];
    TN_TRY(tn_infer_dtype(call->host, "the output", &output->dtype, input->dtype));
    return tn_infer_shape(call->host, "the output", &output->shape, &input->shape);
}

static tn_status run_get(const tn_run_call *call) {
    if (tn_sequence_is_nothing(call->inputs[0])) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "the optional value has none");
    }
    return copy_first_input(call);
}

const tn_op optional_get_element_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The value of an optional value, which must have one.",
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer_get,
};
const tn_kernel optional_get_element_kernel = {CPU_KERNEL("onnx.OptionalGetElement"),
                                               .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_get};
