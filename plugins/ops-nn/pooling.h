#ifndef OPS_NN_POOLING_H
#define OPS_NN_POOLING_H

#include "window.h"

enum { POOLING_MAX, POOLING_AVERAGE, POOLING_SUM, POOLING_LP };
#define POOLING_TYPES "max|avg|sum|lp"

enum { POOLING_VALID, POOLING_FULL, POOLING_SAME };
#define POOLING_CONVENTIONS "valid|full|same"

typedef struct pooling_attributes {
    tn_ints kernel;
    tn_ints stride;
    tn_ints pad;
    int64_t p_value;
    int32_t pool_type;
    int32_t pooling_convention;
    int32_t global_pool;
    int32_t count_include_pad; /* -1: not given, which means yes */
    int32_t cudnn_off;
    int32_t layout;
} pooling_attributes;

/* The window along one spatial axis of data of a certain extent. */
typedef struct pooling_axis {
    int64_t kernel;
    int64_t stride;
    int64_t pad; /* in front */
    int64_t pad_behind;
    int64_t places; /* the extent of the output */
} pooling_axis;

/* `rank` is the number of spatial axes. */
tn_status pooling_axis_find(const tn_host *host, const pooling_attributes *attributes, int32_t rank,
                            int32_t axis, int64_t extent, pooling_axis *out_axis);

#endif
