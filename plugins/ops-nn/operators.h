/*
 * Convolution, pooling, resampling and matrix products: each operator with the name it is known by
 * and its kernel.
 */
#ifndef OPS_NN_OPERATORS_H
#define OPS_NN_OPERATORS_H

#include <tenon/plugin.h>

/* X(name, operator, kernel) */
#define OPS_NN_SPATIAL(X)                                                                          \
    X("Convolution", convolution_op, convolution_kernel)                                           \
    X("fused_convolution", fused_convolution_op, fused_convolution_kernel)                         \
    X("Convolution_v1", convolution_op, convolution_v1_kernel)                                     \
    X("Deconvolution", deconvolution_op, deconvolution_kernel)                                     \
    X("Pooling", pooling_op, pooling_kernel)                                                       \
    X("Pooling_v1", pooling_op, pooling_v1_kernel)                                                 \
    X("_contrib_AdaptiveAvgPooling2D", adaptive_pooling_op, adaptive_pooling_kernel)               \
    X("UpSampling", upsampling_op, upsampling_kernel)                                              \
    X("_contrib_BilinearResize2D", bilinear_resize_op, bilinear_resize_kernel)                     \
    X("Crop", crop_op, crop_kernel)                                                                \
    X("LRN", lrn_op, lrn_kernel)                                                                   \
    X("FullyConnected", fully_connected_op, fully_connected_kernel)                                \
    X("dot", dot_op, dot_kernel)                                                                   \
    X("batch_dot", batch_dot_op, batch_dot_kernel)                                                 \
    X("onnx.MatMul", matmul_op, matmul_kernel)                                                     \
    X("onnx.Gemm", gemm_op, gemm_kernel)

extern const tn_op convolution_op;
extern const tn_op fused_convolution_op;
extern const tn_op deconvolution_op;
extern const tn_op pooling_op;
extern const tn_op adaptive_pooling_op;
extern const tn_op upsampling_op;
extern const tn_op bilinear_resize_op;
extern const tn_op crop_op;
extern const tn_op lrn_op;
extern const tn_op fully_connected_op;
extern const tn_op dot_op;
extern const tn_op batch_dot_op;
extern const tn_op matmul_op;
extern const tn_op gemm_op;
extern const tn_kernel channels_last_convolution_kernel;
extern const tn_kernel channels_last_fused_convolution_kernel;
extern const tn_kernel integer_matmul_kernel;
extern const tn_kernel integer_gemm_kernel;
extern const tn_kernel dot_sparse_kernel; /* the second one of dot */

#define OPS_NN_DECLARE_KERNEL(NAME, OP, KERNEL) extern const tn_kernel KERNEL;
OPS_NN_SPATIAL(OPS_NN_DECLARE_KERNEL)
#undef OPS_NN_DECLARE_KERNEL

#endif
