/* The attributes of the operators that multiply matrices, as their kernels read them. */
#ifndef ONEDNN_PRODUCTS_H
#define ONEDNN_PRODUCTS_H

#include <tenon/plugin.h>

typedef struct product_attributes {
    int32_t no_bias;                  /* FullyConnected */
    int32_t transpose_a, transpose_b; /* batch_dot */
    int32_t transA, transB;           /* onnx.Gemm, as are the factors */
    double alpha, beta;
} product_attributes;

#define FULLY_CONNECTED_FIELD_COUNT 1
#define BATCH_DOT_FIELD_COUNT 2
#define GEMM_FIELD_COUNT 4
extern const tn_attribute fully_connected_fields[FULLY_CONNECTED_FIELD_COUNT];
extern const tn_attribute batch_dot_fields[BATCH_DOT_FIELD_COUNT];
extern const tn_attribute gemm_fields[GEMM_FIELD_COUNT];

int32_t fully_connected_supports(const tn_kernel_query *query);
tn_status fully_connected_prepare(tn_prepare_call *call);
int32_t batch_dot_supports(const tn_kernel_query *query);
tn_status batch_dot_prepare(tn_prepare_call *call);
int32_t matmul_supports(const tn_kernel_query *query);
tn_status matmul_prepare(tn_prepare_call *call);
int32_t gemm_supports(const tn_kernel_query *query);
tn_status gemm_prepare(tn_prepare_call *call);

#endif
