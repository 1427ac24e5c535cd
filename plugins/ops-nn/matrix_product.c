#include "matrix_product.h"

#include "panel_product.h"

/* One operand of the batch and where its panels go. */
typedef struct packing {
    const matrix_operand *operand;
    int64_t batch_stride;
    int64_t batch_count;
    int64_t depth;
    int64_t width;
    char *panels;
} packing;

/* A running product: its units are a block of rows times a panel of columns. */
typedef struct multiplication {
    const matrix_product *product;
    const micro_kernels *kernels;
    const char *left_panels;
    const char *right_panels;
    uint64_t left_size; /* of one matrix's panels */
    uint64_t right_size;
    int64_t rows; /* in a block */
    int64_t row_blocks;
    int64_t column_panels;
} multiplication;

static packing packing_of_left(const matrix_product *product, void *panels) {
    return (packing){.operand = &product->left,
                     .batch_stride = product->left_batch_stride,
                     .batch_count = product->batch_count,
                     .depth = product->depth,
                     .width = TILE_ROWS,
                     .panels = panels};
}

static packing packing_of_right(const matrix_product *product, void *panels) {
    return (packing){.operand = &product->right,
                     .batch_stride = product->right_batch_stride,
                     .batch_count = product->batch_count,
                     .depth = product->depth,
                     .width = panel_columns(product->right.dtype),
                     .panels = panels};
}

/* The bytes of one matrix's panels. */
static uint64_t matrix_size(const packing *work) {
    const matrix_operand *operand = work->operand;
    return panels_size(operand->dtype, operand->count, work->depth, work->width);
}

static uint64_t batch_size(const packing *work) {
    return size_multiply((uint64_t)work->batch_count, matrix_size(work));
}

static int64_t panel_count(const packing *work) {
    return divide_up(work->operand->count, work->width);
}

uint64_t matrix_product_left_size(const matrix_product *product) {
    const packing work = packing_of_left(product, NULL);
    return batch_size(&work);
}

uint64_t matrix_product_right_size(const matrix_product *product) {
    const packing work = packing_of_right(product, NULL);
    return batch_size(&work);
}

uint64_t matrix_product_workspace(const matrix_product *product) {
    uint64_t size = 0;
    if (product->left_panels == NULL) {
        size_append(&size, matrix_product_left_size(product));
    }
    if (product->right_panels == NULL) {
        size_append(&size, matrix_product_right_size(product));
    }
    return size;
}

static void pack_range(void *context, int64_t begin, int64_t end) {
    const packing *work = context;
    matrix_operand operand = *work->operand;
    for (int64_t i = begin; i < end; i++) {
        const int64_t batch = i / panel_count(work);
        const int64_t panel = i % panel_count(work);
        operand.data = element_at(operand.dtype, work->operand->data, batch * work->batch_stride);
        panels_pack(&operand, work->depth, work->width, panel, panel + 1,
                    work->panels + (uint64_t)batch * matrix_size(work));
    }
}

static void pack_in_parallel(const tn_host *host, packing *work) {
    tn_parallel_for(host, work->batch_count * panel_count(work),
                    grain_of(GRAIN_ELEMENTS, work->depth * work->width), pack_range, work);
}

void matrix_product_pack_left(const matrix_product *product, void *panels) {
    packing work = packing_of_left(product, panels);
    pack_range(&work, 0, work.batch_count * panel_count(&work));
}

void matrix_product_pack_right(const matrix_product *product, void *panels) {
    packing work = packing_of_right(product, panels);
    pack_range(&work, 0, work.batch_count * panel_count(&work));
}

static void multiply_range(void *context, int64_t begin, int64_t end) {
    const multiplication *work = context;
    const matrix_product *product = work->product;
    const tn_dtype dtype = product->left.dtype;
    const int64_t width = panel_columns(dtype);
    const int64_t row_count = product->left.count;
    const int64_t column_count = product->right.count;
    panel_product unit = {.dtype = dtype,
                          .result_dtype = product->result_dtype,
                          .depth = product->depth,
                          .row_stride = column_count};
    for (int64_t i = begin; i < end; i++) {
        const int64_t batch = i / (work->row_blocks * work->column_panels);
        const int64_t row = i / work->column_panels % work->row_blocks * work->rows;
        const int64_t panel = i % work->column_panels;
        const int64_t column = panel * width;
        unit.rows = work->left_panels + (uint64_t)batch * work->left_size +
                    panels_size(dtype, row, product->depth, TILE_ROWS);
        unit.columns = work->right_panels + (uint64_t)batch * work->right_size +
                       panels_size(dtype, column, product->depth, width);
        unit.row_count = smaller(work->rows, row_count - row);
        unit.column_count = smaller(width, column_count - column);
        if (product->column_bias != NULL) {
            unit.column_bias = element_at(dtype, product->column_bias, column);
        }
        unit.result = element_at_mutable(product->result_dtype, product->result,
                                         (batch * row_count + row) * column_count + column);
        panel_product_run(work->kernels, &unit);
    }
}

/* Shares out the rows and columns of packed operands. */
static void multiply_in_parallel(const tn_host *host, const matrix_product *product,
                                 const packing *left, const packing *right) {
    const tn_dtype dtype = product->left.dtype;
    const int64_t rows = panel_product_rows(dtype, product->depth);
    multiplication work = {.product = product,
                           .kernels = micro_kernels_select(),
                           .left_panels = left->panels,
                           .right_panels = right->panels,
                           .left_size = matrix_size(left),
                           .right_size = matrix_size(right),
                           .rows = rows,
                           .row_blocks = divide_up(product->left.count, rows),
                           .column_panels = panel_count(right)};
    const int64_t cost =
        panel_product_cost(dtype, product->depth, smaller(rows, product->left.count));
    tn_parallel_for(host, product->batch_count * work.row_blocks * work.column_panels,
                    grain_of(GRAIN_PRODUCTS, cost), multiply_range, &work);
}

/* Products without terms have no panels, and maybe no workspace. */
static char *scratch_at(void *workspace, uint64_t offset) {
    return workspace == NULL ? NULL : (char *)workspace + offset;
}

void matrix_product_run(const tn_host *host, const matrix_product *product, void *workspace) {
    uint64_t used = 0;
    packing left = packing_of_left(product, product->left_panels);
    packing right = packing_of_right(product, product->right_panels);
    if (left.panels == NULL) {
        left.panels = scratch_at(workspace, size_append(&used, batch_size(&left)));
        pack_in_parallel(host, &left);
    }
    if (right.panels == NULL) {
        right.panels = scratch_at(workspace, size_append(&used, batch_size(&right)));
        pack_in_parallel(host, &right);
    }
    multiply_in_parallel(host, product, &left, &right);
}
