#include "finish.h"

/* The functions of activations.glsl in the order of the attribute. */
static const uint32_t functions[] = {11, 0, 7, 1, 2, 4, 5, 9, 10};

product_finish product_finish_of(const tn_prepare_call *call, int32_t activation, double alpha,
                                 double beta, int with_addend) {
    product_finish made = {
        .function = functions[activation], .alpha = (float)alpha, .beta = (float)beta};
    if (with_addend) {
        made.addend = bind_input(call, call->input_count - 1);
    }
    return made;
}

void add_finish(device_program *program, const product_finish *given, tn_dtype dtype,
                program_binding result, int64_t count) {
    const struct {
        uint32_t count;
        float alpha;
        float beta;
    } push = {(uint32_t)count, given->alpha, given->beta};
    const tn_specialization constants[] = {FINISH_CONSTANTS(given)};
    if (count == 0) {
        return;
    }
    program_add(program, &(program_launch){
                             .shader = SHADER_OF(finish, dtype),
                             .invocations = push.count,
                             .bindings = {result, given->addend.size > 0 ? given->addend : result},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants)});
}
