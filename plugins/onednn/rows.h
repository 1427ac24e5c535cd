/* The attributes of softmax and LayerNorm that their kernels read. What must not be given is a
 * text. */
#ifndef ONEDNN_ROWS_H
#define ONEDNN_ROWS_H

#include <tenon/plugin.h>

typedef struct rows_attributes {
    int64_t axis;
    double eps;                                   /* LayerNorm */
    int32_t output_mean_var;                      /* LayerNorm */
    const char *temperature, *dtype, *use_length; /* softmax */
} rows_attributes;

#define SOFTMAX_FIELD_COUNT 4
#define LAYER_NORM_FIELD_COUNT 3
extern const tn_attribute softmax_fields[SOFTMAX_FIELD_COUNT];
extern const tn_attribute layer_norm_fields[LAYER_NORM_FIELD_COUNT];

int32_t softmax_supports(const tn_kernel_query *query);
tn_status softmax_prepare(tn_prepare_call *call);
int32_t layer_norm_supports(const tn_kernel_query *query);
tn_status layer_norm_prepare(tn_prepare_call *call);

#endif
