/* The attributes of Convolution that its kernel reads. */
#ifndef ONEDNN_CONVOLUTION_H
#define ONEDNN_CONVOLUTION_H

#include <tenon/plugin.h>

typedef struct convolution_attributes {
    tn_ints kernel, stride, dilate, pad;
    int64_t num_group;
    int32_t no_bias;
    int32_t layout; /* -1: not given */
    int32_t auto_pad;
} convolution_attributes;

enum { AUTO_PAD_NONE, AUTO_PAD_SAME_UPPER, AUTO_PAD_SAME_LOWER };

#define CONVOLUTION_FIELD_COUNT 8
extern const tn_attribute convolution_fields[CONVOLUTION_FIELD_COUNT];

#endif
