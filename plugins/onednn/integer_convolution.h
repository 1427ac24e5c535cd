/* The attributes of onnx.ConvInteger and onnx.QLinearConv that their kernel reads. */
#ifndef ONEDNN_INTEGER_CONVOLUTION_H
#define ONEDNN_INTEGER_CONVOLUTION_H

#include <tenon/plugin.h>

typedef struct integer_convolution_attributes {
    tn_ints kernel_shape, strides, dilations, pads;
    int64_t group;
    int32_t auto_pad;
} integer_convolution_attributes;

#define INTEGER_CONVOLUTION_FIELD_COUNT 6
extern const tn_attribute integer_convolution_fields[INTEGER_CONVOLUTION_FIELD_COUNT];

int32_t integer_convolution_supports(const tn_kernel_query *query);
tn_status integer_convolution_prepare(tn_prepare_call *call);
tn_status integer_convolution_run(const tn_run_call *call);
void integer_convolution_release(const tn_host *host, void *state);

#endif
