#include "convolution_columns.h"

#define MOST_COLUMNS TILE_COLUMNS(sizeof(float))

/* The places of one panel: where the first element under the kernel is. */
typedef struct place_run {
    int is_contiguous;
    int64_t offsets[MOST_COLUMNS];
} place_run;

#include "real_float.h"

#include "convolution_columns_template.h"

#include "real_double.h"

#include "convolution_columns_template.h"

/* Places beyond the last repeat the panel's first one; nobody looks at the sums there. */
static place_run find_places(const convolution_plan *plan, int64_t first, int64_t width) {
    const int64_t *extents = plan->places;
    const int64_t present = smaller(width, plan->place_count - first);
    int64_t x = first % extents[2];
    int64_t y = first / extents[2] % extents[1];
    int64_t z = first / extents[2] / extents[1];
    place_run run = {.is_contiguous = present == width && x + width <= extents[2]};
    for (int64_t i = 0; i < width; i++) {
        if (i >= present) {
            run.offsets[i] = run.offsets[0];
            continue;
        }
        run.offsets[i] =
            image_offset(&plan->image, z * plan->strides[0], y * plan->strides[1], 0) + x;
        if (++x == extents[2]) {
            x = 0;
            y = y + 1 == extents[1] ? 0 : y + 1;
            z += y == 0;
        }
    }
    return run;
}

void convolution_pack_columns(const convolution_plan *plan, const void *image, int64_t panel,
                              void *columns) {
    const int64_t width = panel_columns(plan->dtype);
    const place_run run = find_places(plan, panel * width, width);
    if (plan->dtype == TN_F64) {
        pack_columns_f64(plan, image, &run, columns);
    } else {
        pack_columns_f32(plan, image, &run, columns);
    }
}
