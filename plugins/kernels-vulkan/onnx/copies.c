/* Operators of ONNX that give their input as it is: Reshape, Flatten, Squeeze, Unsqueeze, Dropout.
 * The host leaves the run out where input and output can be the same memory. */
#include "elementwise/mover.h"
#include "entries_onnx.h"

static tn_status prepare_copy(tn_prepare_call *call) {
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_copy(program, call);
    return program_finish(program, call);
}

#define ONNX_COPY_KERNEL(NAME)                                                                     \
    {                                                                                              \
        SPIRV_KERNEL("onnx." NAME, supports_sizes, prepare_copy), .flags = TN_KERNEL_COPIES_INPUT, \
                                                                  IN_PLACE                         \
    }

const tn_kernel onnx_reshape_kernel = ONNX_COPY_KERNEL("Reshape");
const tn_kernel onnx_flatten_kernel = ONNX_COPY_KERNEL("Flatten");
const tn_kernel onnx_squeeze_kernel = ONNX_COPY_KERNEL("Squeeze");
const tn_kernel onnx_unsqueeze_kernel = ONNX_COPY_KERNEL("Unsqueeze");

/* Dropout as inference has it: the mask is true everywhere. */

enum { DROPOUT_RATIO = 1, DROPOUT_TRAINING };

static int is_zero(const tn_view *view) {
    const unsigned char *bytes = tn_data(view);
    int any = 0;
    for (uint64_t i = 0; i < tn_byte_size(view); i++) {
        any |= bytes[i];
    }
    return any == 0;
}

static int32_t supports_dropout(const tn_kernel_query *query) {
    const int is_there =
        query->input_count > DROPOUT_TRAINING && query->inputs[DROPOUT_TRAINING].dtype != 0;
    const tn_view *training = is_there ? query->input_values[DROPOUT_TRAINING] : NULL;
    return supports_sizes(query) && (!is_there || (training != NULL && is_zero(training)));
}

static tn_status prepare_dropout(tn_prepare_call *call) {
    device_program *program;
    TN_TRY(program_create(call, &program));
    if (call->output_count > 1) {
        add_fill(program, call, 1, bits_of_whole(1));
    }
    add_copy(program, call);
    return program_finish(program, call);
}

const tn_kernel onnx_dropout_kernel = {
    SPIRV_KERNEL("onnx.Dropout", supports_dropout, prepare_dropout),
    .flags = TN_KERNEL_COPIES_INPUT,
    IN_PLACE,
};

/* ConstantOfShape: the value is a tensor of one element. */

static tn_status prepare_constant(tn_prepare_call *call) {
    const int64_t count = tn_element_count(call->outputs[0]);
    element_move fill = {.input = 1, .axes = {.rank = 0}};
    device_program *program;
    TN_TRY(program_create(call, &program));
    if (call->inputs[1] == NULL) {
        add_fill(program, call, 0, bits_of_whole(0));
    } else if (count > 0) {
        axes_add(&fill.axes, count, 0, 1);
        axes_finish(&fill.axes);
        add_move(program, call, &fill);
    }
    return program_finish(program, call);
}

const tn_kernel onnx_constant_of_shape_kernel = {
    SPIRV_KERNEL("onnx.ConstantOfShape", supports_sizes, prepare_constant),
};
