/* The attributes of Convolution that its kernel reads. */
#ifndef ONEDNN_CONVOLUTION_H
#define ONEDNN_CONVOLUTION_H

#include <tenon/plugin.h>

typedef struct convolution_attributes {
    tn_ints kernel, stride, dilate, pad;
    int64_t num_filter, num_group;
    int32_t no_bias;
} convolution_attributes;

#define CONVOLUTION_FIELD_COUNT 7
extern const tn_attribute convolution_fields[CONVOLUTION_FIELD_COUNT];

#endif
