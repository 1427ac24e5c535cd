#include "extents.h"

tn_status extent_add(const tn_host *host, int64_t left, int64_t right, int64_t *out_sum) {
    if (left < 0 || right < 0) {
        *out_sum = TN_UNKNOWN;
        return TN_OK;
    }
    if (__builtin_add_overflow(left, right, out_sum)) {
        return tn_fail(host, TN_OUT_OF_RANGE, "an extent of %lld + %lld is too large",
                       (long long)left, (long long)right);
    }
    return TN_OK;
}

tn_status extent_multiply(const tn_host *host, int64_t left, int64_t right, int64_t *out_product) {
    if (left < 0 || right < 0) {
        *out_product = TN_UNKNOWN;
        return TN_OK;
    }
    if (__builtin_mul_overflow(left, right, out_product)) {
        return tn_fail(host, TN_OUT_OF_RANGE, "an extent of %lld * %lld is too large",
                       (long long)left, (long long)right);
    }
    return TN_OK;
}

tn_status extents_multiply(const tn_host *host, const tn_shape *shape, int32_t begin, int32_t end,
                           int64_t *out_product) {
    int64_t product = 1;
    for (int32_t axis = begin; axis < end; axis++) {
        TN_TRY(extent_multiply(host, product, shape->extents[axis], &product));
    }
    *out_product = product;
    return TN_OK;
}

tn_status extents_append(const tn_host *host, tn_shape *shape, int64_t extent) {
    if (shape->rank == TN_MAX_RANK) {
        return tn_fail(host, TN_OUT_OF_RANGE, "the output would have more than %d axes",
                       TN_MAX_RANK);
    }
    shape->extents[shape->rank++] = extent;
    return TN_OK;
}

tn_status extents_append_range(const tn_host *host, tn_shape *shape, const tn_shape *from,
                               int32_t begin, int32_t end) {
    for (int32_t axis = begin; axis < end; axis++) {
        TN_TRY(extents_append(host, shape, from->extents[axis]));
    }
    return TN_OK;
}

tn_shape extents_without_axis(const tn_shape *shape, int32_t axis) {
    tn_shape result = *shape;
    result.rank--;
    for (int32_t i = axis; i < result.rank; i++) {
        result.extents[i] = shape->extents[i + 1];
    }
    return result;
}

tn_status extents_with_axis(const tn_host *host, const tn_shape *shape, int32_t axis,
                            int64_t extent, tn_shape *out_shape) {
    tn_shape result = *shape;
    TN_TRY(extents_append(host, &result, extent));
    for (int32_t i = result.rank - 1; i > axis; i--) {
        result.extents[i] = shape->extents[i - 1];
    }
    result.extents[axis] = extent;
    *out_shape = result;
    return TN_OK;
}

/* The product of the extents that are known; `out_missing` is the axis of the only other one, -1
 * when there is none and -2 when there are several. */
static tn_status known_product(const tn_host *host, const tn_shape *shape, int64_t *out_product,
                               int32_t *out_missing) {
    int64_t product = 1;
    int32_t missing = shape->rank < 0 ? -2 : -1;
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        if (shape->extents[axis] >= 0) {
            TN_TRY(extent_multiply(host, product, shape->extents[axis], &product));
        } else {
            missing = missing == -1 ? axis : -2;
        }
    }
    *out_product = product;
    *out_missing = missing;
    return TN_OK;
}

/* `shape` holds `count` elements in all; its known extents hold `known`. */
static tn_status infer_missing(const tn_host *host, tn_shape *shape, int32_t missing, int64_t known,
                               int64_t count) {
    char text[256];
    if (known == 0 && count == 0) {
        return TN_OK; /* any extent would do */
    }
    if (known == 0 || count % known != 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%lld elements do not fit the shape %s",
                       (long long)count, tn_shape_text(shape, text, sizeof text));
    }
    shape->extents[missing] = count / known;
    return TN_OK;
}

tn_status infer_same_count(const tn_host *host, tn_shape *left, tn_shape *right) {
    int64_t left_count, right_count;
    int32_t left_missing, right_missing;
    TN_TRY(known_product(host, left, &left_count, &left_missing));
    TN_TRY(known_product(host, right, &right_count, &right_missing));
    if (left_missing == -1 && right_missing >= 0) {
        return infer_missing(host, right, right_missing, right_count, left_count);
    }
    if (right_missing == -1 && left_missing >= 0) {
        return infer_missing(host, left, left_missing, left_count, right_count);
    }
    if (left_missing == -1 && right_missing == -1 && left_count != right_count) {
        char left_text[256], right_text[256];
        return tn_fail(host, TN_INVALID_ARGUMENT, "the shape %s has %lld elements, but %s has %lld",
                       tn_shape_text(left, left_text, sizeof left_text), (long long)left_count,
                       tn_shape_text(right, right_text, sizeof right_text), (long long)right_count);
    }
    return TN_OK;
}

tn_status mark_axes(const tn_host *host, const tn_ints *axes, int32_t rank, int distinct,
                    unsigned char out_marked[TN_MAX_RANK]) {
    memset(out_marked, 0, TN_MAX_RANK);
    for (int64_t i = 0; i < axes->count; i++) {
        int32_t axis = 0;
        TN_TRY(tn_resolve_axis(host, axes->values[i], rank, &axis));
        if (distinct && out_marked[axis]) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "axis %lld stands in the list twice",
                           (long long)axes->values[i]);
        }
        out_marked[axis] = 1;
    }
    return TN_OK;
}
