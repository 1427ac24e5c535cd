/* fused_convolution: a convolution that is finished. */
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
    FINISH_FIELDS(fused_attributes),
};

/* The convolution itself is not told of the addend, which could pass for a bias. */
static tn_status prepare_fused_convolution(tn_prepare_call *call) {
    const fused_attributes *given = call->attributes;
    const product_finish finish =
        product_finish_of(call, given->activation, given->alpha, given->beta, given->with_addend);
    tn_prepare_call inner = *call;
    device_program *program;
    inner.input_count -= given->with_addend ? 1 : 0;
    TN_TRY(program_create(call, &program));
    add_attributed_convolution(program, &inner, &finish);
    return program_finish(program, call);
}

const tn_kernel fused_convolution_kernel = {
    SPIRV_KERNEL("fused_convolution", supports_convolution, prepare_fused_convolution),
    FLOAT_DTYPES,
    KERNEL_ATTRIBUTES(fields, fused_attributes),
};
