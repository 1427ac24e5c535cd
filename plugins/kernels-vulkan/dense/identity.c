/* Operators that copy input 0 to output 0: Dropout, which has a mask besides, and losses. */
#include "entries_dense.h"
#include "kernels.h"

/* Whole words, or 16-bit elements. */
static int32_t supports_copy(const tn_kernel_query *query) {
    const tn_tensor_type *data = &query->inputs[0];
    const int64_t size = (int64_t)TN_DTYPE_SIZE(data->dtype);
    return supports_sizes(query) &&
           (data->dtype == TN_F16 ||
            (type_count(data) * size % 4 == 0 && type_count(data) * size / 4 < MAX_ELEMENTS));
}

static void add_copy(device_program *program, const tn_prepare_call *call) {
    const program_binding from = bind_input(call, 0);
    const int is_half = call->inputs[0]->dtype == TN_F16;
    const struct {
        uint32_t count;
        uint32_t first;
        uint32_t to_first;
    } push = {(uint32_t)(from.size / (is_half ? 2 : 4)), 0, 0};
    program_add(program, &(program_launch){.shader = is_half ? &shader_copy_f16 : &shader_copy_u32,
                                           .invocations = push.count,
                                           .bindings = {from, bind_output(call, 0)},
                                           PROGRAM_PUSH(push)});
}

static tn_status prepare_copy(tn_prepare_call *call) {
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_copy(program, call);
    return program_finish(program, call);
}

#define COPY_KERNEL(NAME)                                                                          \
    { SPIRV_KERNEL(NAME, supports_copy, prepare_copy), .flags = TN_KERNEL_COPIES_INPUT, IN_PLACE }

const tn_kernel linear_regression_output_kernel = COPY_KERNEL("LinearRegressionOutput");
const tn_kernel mae_regression_output_kernel = COPY_KERNEL("MAERegressionOutput");
const tn_kernel svm_output_kernel = COPY_KERNEL("SVMOutput");
const tn_kernel scaled_loss_kernel = COPY_KERNEL("MakeLoss");
const tn_kernel plain_loss_kernel = COPY_KERNEL("make_loss");

/* Nothing is dropped, so the mask holds ones. */
static tn_status prepare_dropout(tn_prepare_call *call) {
    const tn_view *mask = call->outputs[1];
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t count;
        float value;
    } push = {(uint32_t)tn_element_count(mask), 1.0f};
    program_add(program, &(program_launch){.shader = SHADER_OF(fill, mask->dtype),
                                           .invocations = push.count,
                                           .bindings = {bind_output(call, 1)},
                                           PROGRAM_PUSH(push)});
    add_copy(program, call);
    return program_finish(program, call);
}

const tn_kernel dropout_kernel = {
    SPIRV_KERNEL("Dropout", supports_copy, prepare_dropout),
    .flags = TN_KERNEL_COPIES_INPUT,
    FLOAT_DTYPES,
    IN_PLACE,
};
