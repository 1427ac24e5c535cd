/* The attributes of Convolution that its kernel reads. */
#ifndef ONEDNN_CONVOLUTION_H
#define ONEDNN_CONVOLUTION_H

#include <tenon/plugin.h>

typedef struct convolution_attributes {
    tn_ints kernel, stride, dilate, pad;
    int64_t num_filter, num_group;
    int32_t no_bias;
    int32_t layout; /* -1: not given */
} convolution_attributes;

#define CONVOLUTION_FIELD_COUNT 8
extern const tn_attribute convolution_fields[CONVOLUTION_FIELD_COUNT];

#endif
