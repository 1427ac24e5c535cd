/* Facts about output 0 that many operators state. */
#ifndef OPS_ONNX_ONE_OUTPUT_H
#define OPS_ONNX_ONE_OUTPUT_H

#include <tenon/plugin.h>

/* Output 0 and an input have one dtype. */
TN_INLINE_ tn_status infer_output_dtype_like(tn_infer_call *call, uint32_t input) {
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype,
                          call->inputs[input].dtype));
    return tn_infer_dtype(call->host, "the input", &call->inputs[input].dtype,
                          call->outputs[0].dtype);
}

TN_INLINE_ tn_status infer_output_shape(tn_infer_call *call, const tn_shape *shape) {
    return tn_infer_shape(call->host, "the output", &call->outputs[0].shape, shape);
}

/* Output 0 and an input have one dtype and one shape. */
TN_INLINE_ tn_status infer_output_like(tn_infer_call *call, uint32_t input) {
    TN_TRY(infer_output_dtype_like(call, input));
    return tn_infer_same_shape(call->host, "the output", &call->outputs[0].shape,
                               &call->inputs[input].shape);
}

#endif
