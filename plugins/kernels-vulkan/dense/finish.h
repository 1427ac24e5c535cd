/* What fused operators do to the result of a product: a sum and an activation. */
#ifndef KERNELS_VULKAN_DENSE_FINISH_H
#define KERNELS_VULKAN_DENSE_FINISH_H

#include "kernels.h"

typedef struct product_finish {
    uint32_t function; /* of activations.glsl */
    float alpha;
    float beta;
    program_binding addend; /* of no bytes: none */
} product_finish;

/* The attributes that fused operators have besides the product's. */
#define FINISH_FIELDS(STRUCT)                                                                      \
    TN_FIELD(STRUCT, with_addend, BOOL, "False", NULL, "Whether there is an addend."),             \
        TN_FIELD_CHOICE(STRUCT, activation, "none",                                                \
                        "none|relu|leaky|sigmoid|softrelu|tanh|elu|clip|swish", "The function."),  \
        TN_FIELD(STRUCT, alpha, FLOAT, "0", NULL, "Its first number."),                            \
        TN_FIELD(STRUCT, beta, FLOAT, "0", NULL, "Its second number.")

/* By the attributes; the addend is the last input. */
product_finish product_finish_of(const tn_prepare_call *call, int32_t activation, double alpha,
                                 double beta, int with_addend);

/* The constants of a shader that finishes what it makes, see finish.glsl. */
#define FINISH_CONSTANTS(FINISH)                                                                   \
    {8, (FINISH)->function}, {                                                                     \
        9, (FINISH)->addend.size > 0 ? 1u : 0u                                                     \
    }

/* The launch that does it to a result that is there, of `count` elements. */
void add_finish(device_program *program, const product_finish *given, tn_dtype dtype,
                program_binding result, int64_t count);

#endif
