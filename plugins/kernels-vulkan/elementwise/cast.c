/* Cast and amp_cast: each element as one of another dtype. */
#include "cast.h"

#include "entries_elementwise.h"
#include "functions.h"

/* From the size of one element to that of the other. */
static const shader_code *const shaders[4][4] = {
    {&shader_cast_1_1, &shader_cast_1_2, &shader_cast_1_4, &shader_cast_1_8},
    {&shader_cast_2_1, &shader_cast_2_2, &shader_cast_2_4, &shader_cast_2_8},
    {&shader_cast_4_1, &shader_cast_4_2, &shader_cast_4_4, &shader_cast_4_8},
    {&shader_cast_8_1, &shader_cast_8_2, &shader_cast_8_4, &shader_cast_8_8},
};

static int32_t supports_cast(const tn_kernel_query *query) {
    return element_code(query->inputs[0].dtype) != ELEMENT_NONE &&
           element_code(query->outputs[0].dtype) != ELEMENT_NONE && supports_sizes(query);
}

void add_cast(device_program *program, const tn_prepare_call *call, tn_dtype from_dtype,
              program_binding from, tn_dtype to_dtype, program_binding to, int64_t count) {
    const uint32_t from_size = (uint32_t)TN_DTYPE_SIZE(from_dtype);
    const uint32_t to_size = (uint32_t)TN_DTYPE_SIZE(to_dtype);
    const tn_specialization constants[] = {{0, element_code(from_dtype)},
                                           {1, element_code(to_dtype)}};
    uint32_t push[] = {0};
    require_elements(program, call, from_dtype, 1);
    require_elements(program, call, to_dtype, 1);
    program_launch launch = {
        .shader = shaders[size_class(from_size)][size_class(to_size)],
        .bindings = {from, to},
        .push = push,
        .push_size = sizeof push,
        PROGRAM_CONSTANTS(constants),
    };
    add_contiguous(program, &launch, push, (uint64_t)count, (const uint32_t[]){from_size, to_size});
}

static tn_status prepare_cast(tn_prepare_call *call) {
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_cast(program, call, call->inputs[0]->dtype, bind_input(call, 0), call->outputs[0]->dtype,
             bind_output(call, 0), tn_element_count(call->outputs[0]));
    return program_finish(program, call);
}

#define CAST_KERNEL(NAME)                                                                          \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_cast, prepare_cast),                                          \
        .in_place = first_in_place,                                                                \
        .in_place_count = 1,                                                                       \
    };
CAST_KERNEL(Cast)
CAST_KERNEL(cast)
CAST_KERNEL(amp_cast)
