/* Products, convolutions, pooling, normalisation, softmax, activations, resampling, recurrence. */
#ifndef KERNELS_VULKAN_ENTRIES_DENSE_H
#define KERNELS_VULKAN_ENTRIES_DENSE_H

#include <tenon/plugin.h>

/* X(operator, kernel) */
#define DENSE_KERNELS(X)                                                                           \
    X("Activation", activation_kernel)                                                             \
    X("LeakyReLU", leaky_relu_kernel)                                                              \
    X("LogisticRegressionOutput", logistic_regression_output_kernel)                               \
    X("FullyConnected", fully_connected_kernel)                                                    \
    X("dot", dot_kernel)                                                                           \
    X("batch_dot", batch_dot_kernel)                                                               \
    X("Convolution", convolution_kernel)                                                           \
    X("Convolution_v1", convolution_v1_kernel)                                                     \
    X("Deconvolution", deconvolution_kernel)

#define DENSE_DECLARE(NAME, KERNEL) extern const tn_kernel KERNEL;
DENSE_KERNELS(DENSE_DECLARE)
#undef DENSE_DECLARE

#endif
