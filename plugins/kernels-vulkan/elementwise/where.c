/* where: chooses between two tensors, element by element or row by row. */
#include "entries_elementwise.h"
#include "functions.h"

/* By the size of the data's elements and of the condition's. */
static const shader_code *const shaders[4][4] = {
    {&shader_where_1_1, &shader_where_1_2, &shader_where_1_4, &shader_where_1_8},
    {&shader_where_2_1, &shader_where_2_2, &shader_where_2_4, &shader_where_2_8},
    {&shader_where_4_1, &shader_where_4_2, &shader_where_4_4, &shader_where_4_8},
    {&shader_where_8_1, &shader_where_8_2, &shader_where_8_4, &shader_where_8_8},
};

/* The bits of an element that are 0 when it is: a float's sign does not count. */
static element_bits mask_of(tn_dtype dtype) {
    switch (dtype) {
    case TN_F32: return (element_bits){0x7fffffffu, 0};
    case TN_F64: return (element_bits){0xffffffffu, 0x7fffffffu};
    case TN_F16:
    case TN_BF16: return (element_bits){0x7fffu, 0};
    default: return (element_bits){0xffffffffu, 0xffffffffu};
    }
}

static tn_status prepare_where(tn_prepare_call *call) {
    const tn_view *condition = call->inputs[0], *output = call->outputs[0];
    const int has_rows = condition->rank < output->rank;
    const element_bits mask = mask_of(condition->dtype);
    const int64_t row = has_rows ? tn_extent_product(output->shape, 1, output->rank) : 1;
    const uint32_t push[] = {(uint32_t)tn_element_count(output), (uint32_t)row, mask.low,
                             mask.high};
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, condition->dtype, 0);
    require_elements(program, call, output->dtype, 0);
    program_add(program, &(program_launch){
                             .shader = shaders[size_class(TN_DTYPE_SIZE(output->dtype))]
                                              [size_class(TN_DTYPE_SIZE(condition->dtype))],
                             .invocations = push[0],
                             .bindings = {bind_input(call, 0), bind_input(call, 1),
                                          bind_input(call, 2), bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                         });
    return program_finish(program, call);
}

static const tn_in_place chosen_in_place[] = {{1, 0}, {2, 0}};

const tn_kernel kernel_where = {
    SPIRV_KERNEL("where", supports_sizes, prepare_where),
    .in_place = chosen_in_place,
    .in_place_count = COUNT_OF(chosen_in_place),
};
