#include "panel_product.h"

#include "element_block.h"

#include "real_float.h"

#include "panel_product_template.h"

#include "real_double.h"

#include "panel_product_template.h"

/* Half of a usual second-level cache; the other half is for the columns. */
#define ROW_BYTES ((int64_t)256 * 1024)
#define MOST_ROWS ((int64_t)64)

void panel_product_run(const micro_kernels *kernels, const panel_product *product) {
    if (product->dtype == TN_F64) {
        run_product_f64(kernels->multiply_f64, product);
    } else {
        run_product_f32(kernels->multiply_f32, product);
    }
}

int64_t panel_product_rows(tn_dtype dtype, int64_t depth) {
    const int64_t fitting = ROW_BYTES / (int64_t)real_size(dtype) / larger(1, depth);
    return larger(TILE_ROWS, smaller(MOST_ROWS, fitting / TILE_ROWS * TILE_ROWS));
}

int64_t panel_product_cost(tn_dtype dtype, int64_t depth, int64_t rows) {
    return divide_up(rows, TILE_ROWS) * TILE_ROWS * larger(1, depth) * panel_columns(dtype);
}
