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
    /* Of fused_convolution: */
    int32_t activation;
    int32_t with_addend;
    double alpha, beta;
} convolution_attributes;

#define FUSED_ACTIVATIONS "none|relu|leaky|sigmoid|softrelu|tanh|elu|clip|swish"

enum { AUTO_PAD_NONE, AUTO_PAD_SAME_UPPER, AUTO_PAD_SAME_LOWER };

/* The first are those of Convolution, all are those of fused_convolution. */
#define CONVOLUTION_FIELD_COUNT 8
#define FUSED_CONVOLUTION_FIELD_COUNT 12
extern const tn_attribute convolution_fields[FUSED_CONVOLUTION_FIELD_COUNT];

#endif
