#ifndef OPS_NN_DOT_H
#define OPS_NN_DOT_H

#include <tenon/plugin.h>

typedef struct dot_attributes {
    int32_t transpose_a;
    int32_t transpose_b;
    int32_t forward_stype;
} dot_attributes;

tn_status dot_gradient(tn_gradient_call *call);
tn_status batch_dot_gradient(tn_gradient_call *call);

#endif
