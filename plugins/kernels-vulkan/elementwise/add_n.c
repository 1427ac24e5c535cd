/* add_n: the sum of any number of tensors, three more with each launch. */
#include "entries_elementwise.h"
#include "functions.h"

#define FIRST_TERMS 4u

static const shader_code *const shaders[2][2] = {
    {&shader_add_n_2, &shader_add_n_2x4},
    {&shader_add_n_4, &shader_add_n_4x4},
};

static int32_t supports_add_n(const tn_kernel_query *query) {
    const uint64_t size = TN_DTYPE_SIZE(query->outputs[0].dtype);
    return supports_one_dtype(query) && (size == 2 || size == 4) && query->input_count > 1;
}

/* The terms that are missing are bound to the first one again, and not read. */
static void add_terms(device_program *program, const tn_prepare_call *call,
                      const program_binding terms[FIRST_TERMS], uint32_t count) {
    const tn_view *output = call->outputs[0];
    const uint32_t size = (uint32_t)TN_DTYPE_SIZE(output->dtype);
    const uint64_t elements = (uint64_t)tn_element_count(output);
    const uint32_t lanes = elements % 4 == 0 ? 4 : 1;
    const uint32_t bytes = size * lanes;
    const tn_specialization constants[] = {{0, count}, {1, element_code(output->dtype)}};
    uint32_t push[] = {0};
    program_launch launch = {
        .shader = shaders[size == 4][lanes == 4],
        .push = push,
        .push_size = sizeof push,
        PROGRAM_CONSTANTS(constants),
    };
    for (uint32_t i = 0; i < FIRST_TERMS; i++) {
        launch.bindings[i] = terms[i < count ? i : 0];
    }
    launch.bindings[FIRST_TERMS] = bind_output(call, 0);
    add_contiguous(program, &launch, push, elements / lanes,
                   (const uint32_t[]){bytes, bytes, bytes, bytes, bytes});
}

static tn_status prepare_add_n(tn_prepare_call *call) {
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, call->outputs[0]->dtype, 1);
    uint32_t done = 0;
    while (done < call->input_count) {
        program_binding terms[FIRST_TERMS];
        uint32_t count = 0;
        if (done > 0) {
            terms[count++] = bind_output(call, 0);
        }
        while (count < FIRST_TERMS && done < call->input_count) {
            terms[count++] = bind_input(call, done++);
        }
        add_terms(program, call, terms, count);
    }
    return program_finish(program, call);
}

/* The first input is read in the first launch only; one that comes twice is not overwritten. */
#define ADD_N_KERNEL(NAME)                                                                         \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_add_n, prepare_add_n),                                        \
        .in_place = first_in_place,                                                                \
        .in_place_count = 1,                                                                       \
    };
ADD_N_KERNEL(add_n)
ADD_N_KERNEL(ElementWiseSum)
ADD_N_KERNEL(_sum)
