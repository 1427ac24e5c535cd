#ifndef OPS_NN_FULLY_CONNECTED_H
#define OPS_NN_FULLY_CONNECTED_H

#include <tenon/plugin.h>

typedef struct fully_connected_attributes {
    int64_t num_hidden;
    int32_t no_bias;
    int32_t flatten;
} fully_connected_attributes;

tn_status fully_connected_gradient(tn_gradient_call *call);

#endif
