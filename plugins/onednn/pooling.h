/* The attributes of Pooling that its kernel reads. */
#ifndef ONEDNN_POOLING_H
#define ONEDNN_POOLING_H

#include <tenon/plugin.h>

enum { POOLING_MAX, POOLING_AVERAGE, POOLING_SUM, POOLING_LP };
enum { POOLING_VALID, POOLING_FULL, POOLING_SAME };

typedef struct pooling_attributes {
    tn_ints kernel, stride, pad;
    int32_t pool_type;
    int32_t global_pool;
    int32_t count_include_pad; /* -1: not given, which means yes */
    int32_t pooling_convention;
    int32_t layout; /* -1: not given */
} pooling_attributes;

#define POOLING_FIELD_COUNT 8
extern const tn_attribute pooling_fields[POOLING_FIELD_COUNT];

#endif
