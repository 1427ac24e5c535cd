/* The attributes of Deconvolution that its kernel reads. */
#ifndef ONEDNN_DECONVOLUTION_H
#define ONEDNN_DECONVOLUTION_H

#include <tenon/plugin.h>

typedef struct deconvolution_attributes {
    tn_ints kernel, stride, dilate, pad, target_shape;
    int64_t num_group;
    int32_t no_bias;
    int32_t layout; /* -1: not given */
} deconvolution_attributes;

#define DECONVOLUTION_FIELD_COUNT 8
extern const tn_attribute deconvolution_fields[DECONVOLUTION_FIELD_COUNT];

int32_t deconvolution_supports(const tn_kernel_query *query);
tn_status deconvolution_prepare(tn_prepare_call *call);

#endif
