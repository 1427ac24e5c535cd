#include "integer_product.h"

#include <math.h>

#include "elements.h"

typedef struct product_job {
    const int16_t *left, *right;
    int32_t *result;
    int64_t columns, depth;
} product_job;

enum { COLUMN_BLOCK = 1024 };

static void multiply_rows(void *context, int64_t begin, int64_t end) {
    const product_job *job = context;
    for (int64_t column = 0; column < job->columns; column += COLUMN_BLOCK) {
        const int64_t left = job->columns - column;
        const int64_t count = left < COLUMN_BLOCK ? left : COLUMN_BLOCK;
        for (int64_t i = begin; i < end; i++) {
            int32_t *restrict sums = job->result + i * job->columns + column;
            memset(sums, 0, (size_t)count * sizeof *sums);
            for (int64_t k = 0; k < job->depth; k++) {
                const int32_t factor = job->left[i * job->depth + k];
                const int16_t *restrict row = job->right + k * job->columns + column;
                for (int64_t j = 0; factor != 0 && j < count; j++) {
                    sums[j] = (int32_t)((uint32_t)sums[j] + (uint32_t)(factor * row[j]));
                }
            }
        }
    }
}

void integer_product(const tn_host *host, const int16_t *left, const int16_t *right,
                     int32_t *result, int64_t rows, int64_t columns, int64_t depth) {
    product_job job = {left, right, result, columns, depth};
    const int64_t work = columns * depth + 1;
    if (columns > 0) {
        tn_parallel_for(host, rows, 65536 / work + 1, multiply_rows, &job);
    }
}

void widen_elements(tn_dtype dtype, const void *elements, int64_t first, int64_t count,
                    int32_t zero_point, int16_t *out_values) {
    const int8_t *bytes = (const int8_t *)elements + first;
    const uint8_t *unsigned_bytes = (const uint8_t *)elements + first;
    if (dtype == TN_I8) {
        for (int64_t i = 0; i < count; i++) {
            out_values[i] = (int16_t)(bytes[i] - zero_point);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            out_values[i] = (int16_t)(unsigned_bytes[i] - zero_point);
        }
    }
}

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

void requantize(const int32_t *sums, int64_t count, float multiplier, int32_t zero_point,
                tn_dtype dtype, void *target, int64_t first) {
    const float lowest = dtype == TN_I8 ? -128 : 0;
    const float highest = dtype == TN_I8 ? 127 : 255;
    for (int64_t i = 0; i < count; i++) {
        const float value = rintf((float)sums[i] * multiplier) + (float)zero_point;
        const float kept = value < lowest ? lowest : value > highest ? highest : value;
        ((uint8_t *)target)[first + i] = (uint8_t)(int32_t)kept;
    }
}
