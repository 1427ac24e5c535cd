#include "image.h"

#include "element_block.h"
#include "size.h"

typedef struct image_copying {
    const image_layout *layout;
    element_array data;
    void *copy;
} image_copying;

#include "real_float.h"

#include "image_template.h"

#include "real_double.h"

#include "image_template.h"

static int needs_copy(tn_dtype dtype, const window_axis axes[WINDOW_MAX_RANK]) {
    int is_padded = 0;
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        is_padded |= axes[i].pad > 0 || axes[i].pad_behind > 0;
    }
    return dtype != real_dtype(dtype) || is_padded || axes[2].stride > 1;
}

void image_init(image_layout *out_layout, tn_dtype dtype, int64_t plane_count,
                const int64_t source[WINDOW_MAX_RANK], const window_axis axes[WINDOW_MAX_RANK],
                const int64_t places[WINDOW_MAX_RANK], int always_copy) {
    image_layout layout = {
        .dtype = dtype,
        .is_copy = always_copy || needs_copy(dtype, axes),
        .plane_count = plane_count,
        /* One place needs no neighbours, and its stride may be far out of bounds. */
        .phases = places[2] > 1 ? axes[2].stride : 1};
    for (int32_t i = 0; i < WINDOW_MAX_RANK; i++) {
        layout.source[i] = source[i];
        layout.pad[i] = axes[i].pad;
        layout.extents[i] = source[i];
        if (layout.is_copy) {
            layout.extents[i] = (places[i] - 1) * axes[i].stride + window_span(&axes[i]);
        }
    }
    layout.phase_extent = divide_up(layout.extents[2], layout.phases);
    const uint64_t row = size_multiply((uint64_t)layout.phases, (uint64_t)layout.phase_extent);
    const uint64_t rows = size_multiply((uint64_t)layout.extents[0], (uint64_t)layout.extents[1]);
    const uint64_t plane = size_multiply(rows, row);
    const uint64_t planes = size_multiply((uint64_t)plane_count, real_size(dtype));
    if (layout.is_copy) {
        layout.size = size_multiply(plane, planes);
    }
    layout.row_size = (int64_t)row;
    layout.plane_size = (int64_t)plane;
    *out_layout = layout;
}

static void fill_range(void *context, int64_t begin, int64_t end) {
    const image_copying *work = context;
    if (work->layout->dtype == TN_F64) {
        fill_rows_f64(work, begin, end);
    } else {
        fill_rows_f32(work, begin, end);
    }
}

void image_fill(const tn_host *host, const image_layout *layout, const void *data, void *copy) {
    image_copying work = {layout, {(void *)data, layout->dtype}, copy};
    tn_parallel_for(host, layout->plane_count * layout->extents[0] * layout->extents[1],
                    grain_of(GRAIN_ELEMENTS, layout->row_size), fill_range, &work);
}
