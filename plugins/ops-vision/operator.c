#include "operator.h"

const char *const output_name[1] = {"output"};

tn_status infer_rank(const tn_host *host, const char *what, tn_shape *known, int32_t rank) {
    const tn_shape fact = tn_shape_of_rank(rank);
    return tn_infer_shape(host, what, known, &fact);
}

tn_status infer_extent(const tn_host *host, const char *what, tn_shape *known, int32_t axis,
                       int64_t fact) {
    tn_shape expected = *known;
    expected.extents[axis] = fact;
    return tn_infer_shape(host, what, known, &expected);
}

tn_status multiply_extents(const tn_host *host, int64_t left, int64_t right, int64_t *out_product) {
    *out_product = TN_UNKNOWN;
    if (left < 0 || right < 0) {
        return TN_OK;
    }
    if (__builtin_mul_overflow(left, right, out_product)) {
        return tn_fail(host, TN_OUT_OF_RANGE, "an extent of %lld * %lld is too large",
                       (long long)left, (long long)right);
    }
    return TN_OK;
}
