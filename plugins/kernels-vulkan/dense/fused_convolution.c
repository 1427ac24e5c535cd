/* fused_convolution: the convolution's launches, and one over their result. */
#include "convolution.h"
#include "entries_dense.h"

typedef struct fused_attributes {
    convolution_attributes convolution; /* first: what takes one takes the other */
    int32_t activation;
    int32_t with_addend;
    double alpha;
    double beta;
} fused_attributes;

static const tn_attribute fields[] = {
    CONVOLUTION_FIELDS,
    CONVOLUTION_AUTO_PAD_FIELD,
    TN_FIELD(fused_attributes, with_addend, BOOL, "False", NULL, "Whether there is an addend."),
    TN_FIELD_CHOICE(fused_attributes, activation, "none",
                    "none|relu|leaky|sigmoid|softrelu|tanh|elu|clip|swish", "The function."),
    TN_FIELD(fused_attributes, alpha, FLOAT, "0", NULL, "Its first number."),
    TN_FIELD(fused_attributes, beta, FLOAT, "0", NULL, "Its second number."),
};

/* The functions of activations.glsl in the order of the attribute. */
static const uint32_t functions[] = {11, 0, 7, 1, 2, 4, 5, 9, 10};

static void add_finish(device_program *program, const tn_prepare_call *call) {
    const fused_attributes *given = call->attributes;
    const tn_view *output = call->outputs[0];
    const program_binding result = bind_output(call, 0);
    const struct {
        uint32_t count;
        float alpha;
        float beta;
    } push = {(uint32_t)tn_element_count(output), (float)given->alpha, (float)given->beta};
    const tn_specialization constants[] = {{0, functions[given->activation]},
                                           {1, given->with_addend ? 1 : 0}};
    if (push.count == 0) {
        return;
    }
    program_add(
        program,
        &(program_launch){
            .shader = SHADER_OF(finish, output->dtype),
            .invocations = push.count,
            .bindings = {given->with_addend ? bind_input(call, call->input_count - 1) : result,
                         result},
            PROGRAM_PUSH(push),
            PROGRAM_CONSTANTS(constants)});
}

/* The convolution itself is not told of the addend, which could pass for a bias. */
static tn_status prepare_fused_convolution(tn_prepare_call *call) {
    const fused_attributes *given = call->attributes;
    tn_prepare_call inner = *call;
    device_program *program;
    inner.input_count -= given->with_addend ? 1 : 0;
    TN_TRY(program_create(call, &program));
    add_attributed_convolution(program, &inner);
    add_finish(program, call);
    return program_finish(program, call);
}

const tn_kernel fused_convolution_kernel = {
    SPIRV_KERNEL("fused_convolution", supports_convolution, prepare_fused_convolution),
    FLOAT_DTYPES,
    KERNEL_ATTRIBUTES(fields, fused_attributes),
};
