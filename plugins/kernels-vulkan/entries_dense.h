/* Products, convolutions, pooling, normalisation, softmax, activations, resampling, recurrence. */
#ifndef KERNELS_VULKAN_ENTRIES_DENSE_H
#define KERNELS_VULKAN_ENTRIES_DENSE_H

#include <tenon/plugin.h>

/* X(operator, kernel) */
#define DENSE_KERNELS(X)                                                                           \
    X("Activation", activation_kernel)                                                             \
    X("LeakyReLU", leaky_relu_kernel)                                                              \
    X("FullyConnected", fully_connected_kernel)                                                    \
    X("dot", dot_kernel)                                                                           \
    X("batch_dot", batch_dot_kernel)                                                               \
    X("Convolution", convolution_kernel)                                                           \
    X("fused_convolution", fused_convolution_kernel)                                               \
    X("Convolution_v1", convolution_v1_kernel)                                                     \
    X("Deconvolution", deconvolution_kernel)                                                       \
    X("Pooling", pooling_kernel)                                                                   \
    X("Pooling_v1", pooling_v1_kernel)                                                             \
    X("_contrib_AdaptiveAvgPooling2D", adaptive_pooling_kernel)                                    \
    X("_contrib_BilinearResize2D", bilinear_resize_kernel)                                         \
    X("UpSampling", upsampling_kernel)                                                             \
    X("Crop", crop_kernel)                                                                         \
    X("BatchNorm", batch_norm_kernel)                                                              \
    X("BatchNorm_v1", batch_norm_v1_kernel)                                                        \
    X("LayerNorm", layer_norm_kernel)                                                              \
    X("GroupNorm", group_norm_kernel)                                                              \
    X("InstanceNorm", instance_norm_kernel)                                                        \
    X("L2Normalization", l2_normalization_kernel)                                                  \
    X("LRN", lrn_kernel)                                                                           \
    X("softmax", softmax_kernel)                                                                   \
    X("log_softmax", log_softmax_kernel)                                                           \
    X("softmin", softmin_kernel)                                                                   \
    X("SoftmaxActivation", softmax_activation_kernel)                                              \
    X("SoftmaxOutput", softmax_output_kernel)                                                      \
    X("Softmax", softmax_alias_kernel)                                                             \
    X("WarpCTC", warp_ctc_kernel)                                                                  \
    X("Dropout", dropout_kernel)                                                                   \
    X("LinearRegressionOutput", linear_regression_output_kernel)                                   \
    X("LogisticRegressionOutput", logistic_regression_output_kernel)                               \
    X("MAERegressionOutput", mae_regression_output_kernel)                                         \
    X("SVMOutput", svm_output_kernel)                                                              \
    X("MakeLoss", scaled_loss_kernel)                                                              \
    X("make_loss", plain_loss_kernel)                                                              \
    X("RNN", rnn_kernel)

#define DENSE_DECLARE(NAME, KERNEL) extern const tn_kernel KERNEL;
DENSE_KERNELS(DENSE_DECLARE)
#undef DENSE_DECLARE

#endif
