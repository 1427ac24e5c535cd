/* The operator fused_convolution and its kernel: the convolution's, and one walk over its result.
 */
#include "fused_convolution.h"

#include "convolution_plan.h"
#include "element_block.h"
#include "operators.h"
#include "size.h"
#include "state.h"
#include "vector_math.h"

static const tn_attribute fields[] = {
    CONVOLUTION_FIELDS("False", "1024"),
    CONVOLUTION_AUTO_PAD_FIELD,
    TN_FIELD(fused_convolution_attributes, with_addend, BOOL, "False", NULL,
             "Whether there is a last input, of the output's shape, that is added before the "
             "activation."),
    TN_FIELD_CHOICE(fused_convolution_attributes, activation, "none", FUSED_ACTIVATIONS,
                    "The function: relu is max(x, 0); leaky and elu are of slope alpha below 0; "
                    "clip is to [alpha, beta]; swish is x * sigmoid(x)."),
    TN_FIELD(fused_convolution_attributes, alpha, FLOAT, "0", NULL, "See activation."),
    TN_FIELD(fused_convolution_attributes, beta, FLOAT, "0", NULL, "See activation."),
};

static const char *const input_names[] = {"data", "weight", "bias", "addend"};
static const char *const output_names[] = {"output"};

static tn_status count_inputs(tn_arity_call *call) {
    const fused_convolution_attributes *given = call->attributes;
    TN_TRY(convolution_arity(call));
    call->input_count += given->with_addend ? 1 : 0;
    return TN_OK;
}

/* The addend is like the output; the others are a convolution's. */
static tn_status infer(tn_infer_call *call) {
    const fused_convolution_attributes *given = call->attributes;
    if (!given->with_addend) {
        return convolution_infer(call);
    }
    tn_infer_call inner = *call;
    tn_tensor_type *addend = &call->inputs[call->input_count - 1];
    inner.input_count--;
    TN_TRY(tn_infer_shape(call->host, "output", &call->outputs[0].shape, &addend->shape));
    if (call->outputs[0].dtype == 0) {
        call->outputs[0].dtype = addend->dtype;
    }
    TN_TRY(convolution_infer(&inner));
    if (addend->dtype == 0) {
        addend->dtype = call->outputs[0].dtype;
    } else if (call->outputs[0].dtype != 0 && addend->dtype != call->outputs[0].dtype) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "addend is %s, expected the output's %s",
                       tn_dtype_name(addend->dtype), tn_dtype_name(call->outputs[0].dtype));
    }
    return tn_infer_shape(call->host, "addend", &addend->shape, &call->outputs[0].shape);
}

const tn_op fused_convolution_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Convolution, with what often follows it in the same go: another tensor is added, and "
           "an activation function applied. The pass fuse-convolution makes these nodes.",
    OP_ATTRIBUTES(fields, fused_convolution_attributes),
    OP_NAMES(input_names, output_names),
    .arity = count_inputs,
    .infer = infer,
};

typedef struct finish_work {
    const fused_convolution_attributes *given;
    element_array output;
    element_array addend; /* elements NULL: none */
} finish_work;

#include "real_float.h"

#include "fused_convolution_template.h"

#include "real_double.h"

#include "fused_convolution_template.h"

/* The convolution itself is not told of the addend, which could pass for a bias. */
static tn_status prepare(tn_prepare_call *call) {
    const fused_convolution_attributes *given = call->attributes;
    call->input_count -= given->with_addend ? 1 : 0;
    const tn_status status = convolution_prepare(call);
    call->input_count += given->with_addend ? 1 : 0;
    return status;
}

void fused_convolution_finish(const tn_run_call *call, int64_t begin, int64_t end) {
    const fused_convolution_attributes *given = call->attributes;
    finish_work work = {.given = given, .output = elements_of(call->outputs[0])};
    if (given->with_addend) {
        work.addend = elements_of(call->inputs[call->input_count - 1]);
    }
    if (work.output.dtype == TN_F64) {
        finish_f64(&work, begin, end);
    } else {
        finish_f32(&work, begin, end);
    }
}

static void finish_range(void *context, int64_t begin, int64_t end) {
    fused_convolution_finish(context, begin, end);
}

static tn_status run(const tn_run_call *call) {
    const fused_convolution_attributes *given = call->attributes;
    tn_run_call inner = *call;
    inner.input_count -= given->with_addend ? 1 : 0;
    TN_TRY(convolution_compute(&inner));
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), GRAIN_ELEMENTS, finish_range,
                    (void *)(uintptr_t)call);
    return TN_OK;
}

const tn_kernel fused_convolution_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "fused_convolution",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .prepare = prepare,
    .run = run,
    .release = state_release,
};
