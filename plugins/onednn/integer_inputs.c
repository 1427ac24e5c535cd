#include "integer_inputs.h"

static int64_t index_within(const tn_view *view, int64_t index) {
    return tn_element_count(view) == 1 ? 0 : index;
}

int32_t zero_at(const tn_view *view, int64_t index) {
    if (view == NULL) {
        return 0;
    }
    const int64_t at = index_within(view, index);
    return view->dtype == TN_I8 ? ((const int8_t *)tn_data(view))[at]
                                : ((const uint8_t *)tn_data(view))[at];
}

float scale_at(const tn_view *view, int64_t index) {
    return ((const float *)tn_data(view))[index_within(view, index)];
}

quantised_ends ends_of(tn_dtype dtype, const tn_view *zero_point) {
    const float lowest = dtype == TN_I8 ? -128 : 0, zero = (float)zero_at(zero_point, 0);
    return (quantised_ends){lowest - zero, lowest + 255 - zero, zero};
}
