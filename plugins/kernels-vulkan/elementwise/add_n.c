/* add_n: the sum of any number of tensors, three or four more with each launch. */
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

/* What of a sum is kept in 32 bits between launches: the shader's bits. */
enum { KEEPS = 1, RESUMES = 2 };

/* The terms that are missing are bound to the first one again, and not read; so is the output for
 * the sum so far. */
static void add_terms(device_program *program, const tn_prepare_call *call,
                      const program_binding terms[FIRST_TERMS], uint32_t count, uint32_t partial,
                      program_binding sum) {
    const tn_view *output = call->outputs[0];
    const uint32_t size = (uint32_t)TN_DTYPE_SIZE(output->dtype);
    const uint64_t elements = (uint64_t)tn_element_count(output);
    const uint32_t lanes = elements % 4 == 0 ? 4 : 1;
    const uint32_t bytes = size * lanes;
    const tn_specialization constants[] = {
        {0, count}, {1, element_code(output->dtype)}, {2, partial}};
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
    launch.bindings[FIRST_TERMS + 1] = partial != 0 ? sum : bind_output(call, 0);
    add_contiguous(program, &launch, push, elements / lanes,
                   (const uint32_t[]){bytes, bytes, bytes, bytes, bytes,
                                      partial != 0 ? (uint32_t)sizeof(float) * lanes : bytes});
}

/* In the output itself. */
static void add_in_output(device_program *program, const tn_prepare_call *call) {
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
        add_terms(program, call, terms, count, 0, bind_output(call, 0));
    }
}

/* In the workspace, and into the output with the last launch. */
static void add_in_workspace(device_program *program, const tn_prepare_call *call) {
    const uint64_t elements = (uint64_t)tn_element_count(call->outputs[0]);
    const program_binding sum = program_reserve(program, elements * sizeof(float));
    uint32_t done = 0;
    while (done < call->input_count) {
        program_binding terms[FIRST_TERMS];
        uint32_t count = 0;
        const uint32_t resumes = done > 0 ? RESUMES : 0;
        while (count < FIRST_TERMS && done < call->input_count) {
            terms[count++] = bind_input(call, done++);
        }
        add_terms(program, call, terms, count, resumes | (done < call->input_count ? KEEPS : 0),
                  sum);
    }
}

static tn_status prepare_add_n(tn_prepare_call *call) {
    const tn_dtype dtype = call->outputs[0]->dtype;
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, dtype, 1);
    if (dtype == TN_F16 && call->input_count > FIRST_TERMS) {
        add_in_workspace(program, call);
    } else {
        add_in_output(program, call);
    }
    return program_finish(program, call);
}

/* The first input is read in the first launch only; one that comes twice is not overwritten. In the
 * workspace the output is written last of all. */
#define ADD_N_KERNEL(NAME)                                                                         \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_add_n, prepare_add_n),                                        \
        .in_place = first_in_place,                                                                \
        .in_place_count = 1,                                                                       \
    };
ADD_N_KERNEL(add_n)
ADD_N_KERNEL(ElementWiseSum)
ADD_N_KERNEL(_sum)
