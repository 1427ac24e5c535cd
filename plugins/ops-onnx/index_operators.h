/* Elements named by indices, and what runs along an axis: X(operator, name). */
#ifndef OPS_ONNX_INDEX_OPERATORS_H
#define OPS_ONNX_INDEX_OPERATORS_H

#include <tenon/plugin.h>

#define INDEX_OPERATORS(X)                                                                         \
    X(gather, "onnx.Gather")                                                                       \
    X(gather_elements, "onnx.GatherElements")                                                      \
    X(gather_nd, "onnx.GatherND")                                                                  \
    X(scatter_elements, "onnx.ScatterElements")                                                    \
    X(scatter_nd, "onnx.ScatterND")                                                                \
    X(tensor_scatter, "onnx.TensorScatter")                                                        \
    X(top_k, "onnx.TopK")                                                                          \
    X(non_zero, "onnx.NonZero")                                                                    \
    X(compress, "onnx.Compress")                                                                   \
    X(unique, "onnx.Unique")                                                                       \
    X(arg_max, "onnx.ArgMax")                                                                      \
    X(arg_min, "onnx.ArgMin")                                                                      \
    X(hardmax, "onnx.Hardmax")                                                                     \
    X(cum_sum, "onnx.CumSum")                                                                      \
    X(cum_prod, "onnx.CumProd")                                                                    \
    X(non_max_suppression, "onnx.NonMaxSuppression")                                               \
    X(einsum, "onnx.Einsum")

#endif
