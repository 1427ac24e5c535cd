/* Kernels for texts of operators that are other plugins': X(kernel, name). */
#ifndef OPS_ONNX_TEXT_KERNELS_H
#define OPS_ONNX_TEXT_KERNELS_H

#include <tenon/plugin.h>

#define TEXT_KERNELS(X)                                                                            \
    X(cast_texts_kernel, "Cast.texts")                                                             \
    X(cast_like_texts_kernel, "onnx.CastLike.texts")                                               \
    X(equal_texts_kernel, "onnx.Equal.texts")

#define DECLARE_TEXT_KERNEL(KERNEL, NAME) extern const tn_kernel KERNEL;
TEXT_KERNELS(DECLARE_TEXT_KERNEL)
#undef DECLARE_TEXT_KERNEL

#endif
