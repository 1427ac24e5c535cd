/* Operators that ONNX has and MXNet has not, or not so. */
#ifndef KERNELS_VULKAN_ENTRIES_ONNX_H
#define KERNELS_VULKAN_ENTRIES_ONNX_H

#include <tenon/plugin.h>

/* X(operator, kernel) */
#define ONNX_KERNELS(X)                                                                            \
    X("onnx.And", onnx_and_kernel)                                                                 \
    X("onnx.ArgMax", onnx_arg_max_kernel)                                                          \
    X("onnx.ArgMin", onnx_arg_min_kernel)                                                          \
    X("onnx.AveragePool", onnx_average_pool_kernel)                                                \
    X("onnx.BatchNormalization", onnx_batch_normalization_kernel)                                  \
    X("onnx.Celu", onnx_celu_kernel)                                                               \
    X("onnx.ConstantOfShape", onnx_constant_of_shape_kernel)                                       \
    X("onnx.Conv", onnx_conv_kernel)                                                               \
    X("onnx.ConvTranspose", onnx_conv_transpose_kernel)                                            \
    X("onnx.CumProd", onnx_cum_prod_kernel)                                                        \
    X("onnx.CumSum", onnx_cum_sum_kernel)                                                          \
    X("onnx.DepthToSpace", onnx_depth_to_space_kernel)                                             \
    X("onnx.Dropout", onnx_dropout_kernel)                                                         \
    X("onnx.Einsum", onnx_einsum_kernel)                                                           \
    X("onnx.Elu", onnx_elu_kernel)                                                                 \
    X("onnx.Equal", onnx_equal_kernel)                                                             \
    X("onnx.Expand", onnx_expand_kernel)                                                           \
    X("onnx.Flatten", onnx_flatten_kernel)                                                         \
    X("onnx.Gather", onnx_gather_kernel)                                                           \
    X("onnx.GatherElements", onnx_gather_elements_kernel)                                          \
    X("onnx.GRU", onnx_gru_kernel)                                                                 \
    X("onnx.LSTM", onnx_lstm_kernel)                                                               \
    X("onnx.RNN", onnx_rnn_kernel)                                                                 \
    X("onnx.GatherND", onnx_gather_nd_kernel)                                                      \
    X("onnx.Gelu", onnx_gelu_kernel)                                                               \
    X("onnx.Gemm", onnx_gemm_kernel)                                                               \
    X("onnx.Greater", onnx_greater_kernel)                                                         \
    X("onnx.GreaterOrEqual", onnx_greater_or_equal_kernel)                                         \
    X("onnx.GroupNormalization", onnx_group_normalization_kernel)                                  \
    X("onnx.HardSigmoid", onnx_hard_sigmoid_kernel)                                                \
    X("onnx.HardSwish", onnx_hard_swish_kernel)                                                    \
    X("onnx.InstanceNormalization", onnx_instance_normalization_kernel)                            \
    X("onnx.LayerNormalization", onnx_layer_normalization_kernel)                                  \
    X("onnx.LeakyRelu", onnx_leaky_relu_kernel)                                                    \
    X("onnx.Less", onnx_less_kernel)                                                               \
    X("onnx.LessOrEqual", onnx_less_or_equal_kernel)                                               \
    X("onnx.LogSoftmax", onnx_log_softmax_kernel)                                                  \
    X("onnx.LpPool", onnx_lp_pool_kernel)                                                          \
    X("onnx.MatMul", onnx_matmul_kernel)                                                           \
    X("onnx.MaxPool", onnx_max_pool_kernel)                                                        \
    X("onnx.Mish", onnx_mish_kernel)                                                               \
    X("onnx.Or", onnx_or_kernel)                                                                   \
    X("onnx.PRelu", onnx_prelu_kernel)                                                             \
    X("onnx.Pad", onnx_pad_kernel)                                                                 \
    X("onnx.Pow", onnx_pow_kernel)                                                                 \
    X("onnx.ReduceL1", onnx_reduce_l1_kernel)                                                      \
    X("onnx.ReduceL2", onnx_reduce_l2_kernel)                                                      \
    X("onnx.ReduceLogSum", onnx_reduce_log_sum_kernel)                                             \
    X("onnx.ReduceMax", onnx_reduce_max_kernel)                                                    \
    X("onnx.ReduceMean", onnx_reduce_mean_kernel)                                                  \
    X("onnx.ReduceMin", onnx_reduce_min_kernel)                                                    \
    X("onnx.ReduceProd", onnx_reduce_prod_kernel)                                                  \
    X("onnx.ReduceSum", onnx_reduce_sum_kernel)                                                    \
    X("onnx.ReduceSumSquare", onnx_reduce_sum_square_kernel)                                       \
    X("onnx.Reshape", onnx_reshape_kernel)                                                         \
    X("onnx.Resize", onnx_resize_kernel)                                                           \
    X("onnx.Round", onnx_round_kernel)                                                             \
    X("onnx.ScatterElements", onnx_scatter_elements_kernel)                                        \
    X("onnx.ScatterND", onnx_scatter_nd_kernel)                                                    \
    X("onnx.Selu", onnx_selu_kernel)                                                               \
    X("onnx.Shrink", onnx_shrink_kernel)                                                           \
    X("onnx.Sign", onnx_sign_kernel)                                                               \
    X("onnx.Slice", onnx_slice_kernel)                                                             \
    X("onnx.Softmax", onnx_softmax_kernel)                                                         \
    X("onnx.Softplus", onnx_softplus_kernel)                                                       \
    X("onnx.SpaceToDepth", onnx_space_to_depth_kernel)                                             \
    X("onnx.Split", onnx_split_kernel)                                                             \
    X("onnx.Squeeze", onnx_squeeze_kernel)                                                         \
    X("onnx.Swish", onnx_swish_kernel)                                                             \
    X("onnx.ThresholdedRelu", onnx_thresholded_relu_kernel)                                        \
    X("onnx.Tile", onnx_tile_kernel)                                                               \
    X("onnx.TopK", onnx_top_k_kernel)                                                              \
    X("onnx.Unsqueeze", onnx_unsqueeze_kernel)                                                     \
    X("onnx.Where", onnx_where_kernel)                                                             \
    X("onnx.Xor", onnx_xor_kernel)

#define ONNX_DECLARE(NAME, KERNEL) extern const tn_kernel KERNEL;
ONNX_KERNELS(ONNX_DECLARE)
#undef ONNX_DECLARE

#endif
