#include "extents.h"

tn_status numbers_of_value(const tn_host *host, const char *what, const tn_view *value,
                           struct numbers *out) {
    *out = (struct numbers){0};
    if (value == NULL) {
        return TN_OK;
    }
    const int64_t count = tn_element_count(value);
    if ((value->dtype != TN_I64 && value->dtype != TN_I32) || value->rank > 1 ||
        count > MAX_NUMBERS) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "%s has rank %d and %lld elements of %s, expected a vector of at most %d "
                       "int64 or int32",
                       what, (int)value->rank, (long long)count, tn_dtype_name(value->dtype),
                       MAX_NUMBERS);
    }
    out->is_known = 1;
    out->count = (int32_t)count;
    for (int64_t i = 0; i < count; i++) {
        out->values[i] = value->dtype == TN_I64 ? ((const int64_t *)tn_data(value))[i]
                                                : ((const int32_t *)tn_data(value))[i];
    }
    return TN_OK;
}

tn_status infer_numbers(const tn_infer_call *call, uint32_t index, const char *what,
                        struct numbers *out) {
    return numbers_of_value(call->host, what,
                            index < call->input_count ? call->input_values[index] : NULL, out);
}

tn_status count_elements(const tn_host *host, const tn_shape *shape, int64_t *out_count) {
    int64_t count = 1;
    *out_count = TN_UNKNOWN;
    if (!tn_shape_is_known(shape)) {
        return TN_OK;
    }
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        if (__builtin_mul_overflow(count, shape->extents[axis], &count)) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "the number of elements overflows");
        }
    }
    *out_count = count;
    return TN_OK;
}
