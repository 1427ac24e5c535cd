/*
 * Inference of single extents, for operators in which only some extents of two tensors agree.
 */
#ifndef OPS_NN_INFER_H
#define OPS_NN_INFER_H

#include <tenon/plugin.h>

/* Two extents are the same: what one knows the other learns. */
static inline tn_status infer_same_extent(const tn_host *host, const char *left_name, int64_t *left,
                                          const char *right_name, int64_t *right) {
    if (*left < 0) {
        *left = *right;
    } else if (*right < 0) {
        *right = *left;
    } else if (*left != *right) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s is %lld, but %s is %lld", left_name,
                       (long long)*left, right_name, (long long)*right);
    }
    return TN_OK;
}

/* The product of the extents from axis `begin` to `end`: TN_UNKNOWN when one of them is. Fails
 * when it is too large. */
static inline tn_status infer_extent_product(const tn_host *host, const tn_shape *shape,
                                             int32_t begin, int32_t end, int64_t *out_product) {
    int64_t product = 1;
    for (int32_t axis = begin; axis < end && product >= 0; axis++) {
        if (shape->extents[axis] < 0) {
            product = TN_UNKNOWN;
        } else if (__builtin_mul_overflow(product, shape->extents[axis], &product)) {
            char text[256];
            return tn_fail(host, TN_INVALID_ARGUMENT, "a tensor of shape %s is too large",
                           tn_shape_text(shape, text, sizeof text));
        }
    }
    *out_product = product;
    return TN_OK;
}

#endif
