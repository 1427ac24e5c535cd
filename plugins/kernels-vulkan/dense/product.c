#include "product.h"

#include "lanes.h"
#include "matrix_units.h"

/* As in product_push.glsl. */
typedef struct product_push {
    uint32_t rows;
    uint32_t columns;
    uint32_t terms;
    uint32_t batches;
    uint32_t left_stride;
    uint32_t left_term_stride;
    uint32_t right_stride;
    uint32_t right_term_stride;
    uint32_t left_batch_stride;
    uint32_t right_batch_stride;
    uint32_t left_first;
    uint32_t right_first;
    uint32_t bias_first;
    uint32_t has_bias;
    uint32_t result_first;
} product_push;

/* With fewer rows or columns most of a tile would lie beyond the end. */
#define FEWEST_TILED 9
/* Below as many workgroups a device has processors without work. */
#define ENOUGH_TILES 128

static product_push push_of(const matrix_product *product) {
    return (product_push){.rows = (uint32_t)product->rows,
                          .columns = (uint32_t)product->columns,
                          .terms = (uint32_t)product->terms,
                          .batches = (uint32_t)product->batches,
                          .left_stride = (uint32_t)product->left_stride,
                          .left_term_stride = (uint32_t)product->left_term_stride,
                          .right_stride = (uint32_t)product->right_stride,
                          .right_term_stride = (uint32_t)product->right_term_stride,
                          .left_batch_stride = (uint32_t)product->left_batch_stride,
                          .right_batch_stride = (uint32_t)product->right_batch_stride,
                          .left_first = (uint32_t)product->left_first,
                          .right_first = (uint32_t)product->right_first,
                          .bias_first = (uint32_t)product->bias_first,
                          .has_bias = product->bias.size > 0,
                          .result_first = (uint32_t)product->result_first};
}

static int64_t tiles_of(const matrix_product *product, const matrix_units_tile *tile) {
    return product->batches * divide_up(product->rows, tile->rows) *
           divide_up(product->columns, tile->columns);
}

static int64_t square_tiles_of(const matrix_product *product, int64_t side) {
    return product->batches * divide_up(product->rows, side) * divide_up(product->columns, side);
}

static void add_rows(device_program *program, const matrix_product *product,
                     program_launch *launch) {
    const int64_t results = product->batches * product->rows * product->columns;
    const uint32_t lanes = lanes_for(product->terms, product->right_term_stride == 1, results, 1);
    const tn_specialization constants[] = {{0, lanes}};
    launch->shader = SHADER_OF(product_rows, product->dtype);
    launch->workgroups = lane_groups(results, lanes);
    launch->specializations = constants;
    launch->specialization_count = COUNT_OF(constants);
    program_add(program, launch);
}

static void add_tiles(device_program *program, const matrix_product *product,
                      program_launch *launch) {
    const tn_specialization constants[] = {{0, product->left_term_stride == 1},
                                           {1, product->right_term_stride == 1}};
    const int64_t large_tiles = square_tiles_of(product, 128);
    const int is_large = product->rows > 64 && product->columns > 64 && large_tiles >= ENOUGH_TILES;
    launch->shader =
        is_large ? SHADER_OF(product_128, product->dtype) : SHADER_OF(product_64, product->dtype);
    launch->workgroups = (uint64_t)(is_large ? large_tiles : square_tiles_of(product, 64));
    launch->specializations = constants;
    launch->specialization_count = COUNT_OF(constants);
    program_add(program, launch);
}

/* Eight elements that follow one another are loaded at once. */
static int is_in_eights(int64_t stride, int64_t term_stride, int64_t terms, int64_t batch_stride,
                        int64_t first) {
    const int along_terms = term_stride == 1 && stride % 8 == 0 && terms % 8 == 0;
    const int across_terms = stride == 1 && term_stride % 8 == 0;
    return (along_terms || across_terms) && batch_stride % 8 == 0 && first % 8 == 0;
}

/* What product_matrix.comp asks of the product and the device. */
static int suits_matrix_units(const device_program *program, const matrix_product *product) {
    return product->dtype == TN_F16 && has_matrix_units(program) && product->terms > 0 &&
           product->rows % 16 == 0 && product->columns % 8 == 0 && product->bias_first % 8 == 0 &&
           product->result_first == 0 &&
           is_in_eights(product->left_stride, product->left_term_stride, product->terms,
                        product->left_batch_stride, product->left_first) &&
           is_in_eights(product->right_stride, product->right_term_stride, product->terms,
                        product->right_batch_stride, product->right_first);
}

static void add_matrix_units(device_program *program, const matrix_product *product,
                             program_launch *launch) {
    const int64_t large_tiles = tiles_of(product, &matrix_units_large);
    const int is_large = large_tiles >= ENOUGH_LARGE_TILES;
    const matrix_units_tile *tile = is_large ? &matrix_units_large : &matrix_units_small;
    const int is_whole = product->rows % tile->rows == 0 && product->columns % tile->columns == 0 &&
                         product->terms % tile->depth == 0;
    const tn_specialization constants[] = {{0, product->left_term_stride == 1},
                                           {1, product->right_term_stride == 1},
                                           {2, (uint32_t)is_whole}};
    launch->shader = is_large ? &shader_product_matrix_large : &shader_product_matrix_small;
    launch->workgroups = (uint64_t)tiles_of(product, tile);
    launch->specializations = constants;
    launch->specialization_count = COUNT_OF(constants);
    launch->subgroup_size = MATRIX_UNITS_SUBGROUP;
    program_add(program, launch);
}

void add_product(device_program *program, const matrix_product *product) {
    const product_push push = push_of(product);
    const program_binding *result = &product->result;
    program_launch launch = {.bindings = {product->left.size > 0 ? product->left : *result,
                                          product->right.size > 0 ? product->right : *result,
                                          product->bias.size > 0 ? product->bias : *result,
                                          *result},
                             PROGRAM_PUSH(push)};
    if (result->size == 0) {
        return;
    }
    /* A tile's loop takes 8 terms at least. */
    if (product->rows < FEWEST_TILED || product->columns < FEWEST_TILED ||
        product->terms > 8 * (int64_t)PROGRAM_MAX_LOOPS) {
        add_rows(program, product, &launch);
    } else if (suits_matrix_units(program, product)) {
        add_matrix_units(program, product, &launch);
    } else {
        add_tiles(program, product, &launch);
    }
}
