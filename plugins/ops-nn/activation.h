/* What the parts of the operator Activation share. */
#ifndef OPS_NN_ACTIVATION_H
#define OPS_NN_ACTIVATION_H

#include <tenon/plugin.h>

#define ACTIVATION_CHOICES "relu|sigmoid|softrelu|softsign|tanh"

enum {
    ACTIVATION_RELU,
    ACTIVATION_SIGMOID,
    ACTIVATION_SOFTRELU,
    ACTIVATION_SOFTSIGN,
    ACTIVATION_TANH
};

typedef struct activation_attributes {
    int32_t act_type;
} activation_attributes;

tn_status activation_gradient(tn_gradient_call *call);

#endif
