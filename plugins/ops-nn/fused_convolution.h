/*
 * The operator fused_convolution: a convolution, to whose result another tensor may be added, and
 * an activation function.
 */
#ifndef OPS_NN_FUSED_CONVOLUTION_H
#define OPS_NN_FUSED_CONVOLUTION_H

#include "convolution.h"

#define FUSED_ACTIVATIONS "none|relu|leaky|sigmoid|softrelu|tanh|elu|clip|swish"

enum {
    FUSED_NONE,
    FUSED_RELU,
    FUSED_LEAKY,
    FUSED_SIGMOID,
    FUSED_SOFTRELU,
    FUSED_TANH,
    FUSED_ELU,
    FUSED_CLIP,
    FUSED_SWISH
};

typedef struct fused_convolution_attributes {
    convolution_attributes convolution; /* first: what takes one takes the other */
    int32_t activation;
    int32_t with_addend;
    double alpha;
    double beta;
} fused_convolution_attributes;

/* What comes behind the convolution, for elements `begin` to `end` of the output. */
void fused_convolution_finish(const tn_run_call *call, int64_t begin, int64_t end);

#endif
