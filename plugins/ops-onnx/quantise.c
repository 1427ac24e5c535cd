#include "quantise.h"

#include "elements.h"

/* One element stands for all. */
static int64_t index_within(const tn_view *view, int64_t index) {
    const int64_t count = tn_element_count(view);
    return index < count ? index : count - 1;
}

int32_t zero_point_at(const tn_view *view, int64_t index) {
    return view == NULL || tn_element_count(view) == 0
               ? 0
               : (int32_t)read_integer(view->dtype, tn_data(view), index_within(view, index));
}

float scale_at(const tn_view *view, int64_t index) {
    return tn_element_count(view) == 0
               ? 0
               : (float)read_number(view->dtype, tn_data(view), index_within(view, index));
}

void quantise_floats(const float *values, int64_t count, float scale, quantised_range range,
                     uint8_t *target) {
    for (int64_t i = 0; i < count; i++) {
        target[i] = quantise(values[i] / scale, range);
    }
}

void requantise(const int32_t *sums, int64_t count, int32_t bias, float multiplier,
                quantised_range range, uint8_t *target) {
    for (int64_t i = 0; i < count; i++) {
        const int32_t sum = (int32_t)((uint32_t)sums[i] + (uint32_t)bias);
        target[i] = quantise((float)sum * multiplier, range);
    }
}
