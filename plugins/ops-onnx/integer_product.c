#include "integer_product.h"

#include "integer_lanes.h"

enum {
    CHUNK_BYTES = 1 << 18,     /* of the panels of a chunk, in the second cache */
    MOST_CHUNK_COLUMNS = 512,  /* whose sums fit the first one */
    FEWEST_CHUNK_COLUMNS = 64, /* for which it is worth reading the left operand */
    FEWEST_PART_PANELS = 4     /* of rows, for which packing a chunk once more is worth it */
};

static void place_lane_memory(integer_product *product, int64_t bytes_per_column) {
    product_plan *plan = &product->plan;
    const int64_t columns = divide_up(plan->chunk_columns, TILE_COLUMNS) * TILE_COLUMNS;
    const int64_t panels = product->right == NULL ? right_panels_size(columns, product->depth) : 0;
    plan->panels_place = round_up((uint64_t)columns * TILE_ROWS * sizeof(int32_t));
    plan->bytes_place = plan->panels_place + round_up((uint64_t)panels * sizeof(int16_t));
    plan->lane_size = plan->bytes_place + round_up((uint64_t)(columns * bytes_per_column));
}

tn_status integer_product_plan(const tn_host *host, integer_product *product, int64_t unit,
                               int64_t bytes_per_column) {
    product_plan *plan = &product->plan;
    const int64_t lanes = lanes_wanted(host, (double)product->count * (double)product->rows *
                                                 (double)product->columns * (double)product->depth);
    int64_t column_bytes;
    if (__builtin_mul_overflow(product->depth + 1, 2 * larger(product->columns, 1),
                               &column_bytes) ||
        column_bytes > INT64_MAX / 16) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "the product is too large");
    }
    const int64_t fitting = smaller(CHUNK_BYTES / (2 * product->depth + 1), MOST_CHUNK_COLUMNS);
    const int64_t fair = divide_up(product->columns * product->count, lanes);
    const int64_t wanted =
        larger(smaller(larger(fitting, FEWEST_CHUNK_COLUMNS), fair), larger(unit, TILE_COLUMNS));
    plan->chunk_columns = smaller(wanted / unit * unit, larger(product->columns, 1));
    plan->chunks = divide_up(product->columns, plan->chunk_columns);
    const int64_t items = larger(plan->chunks * product->count, 1);
    const int64_t most_parts = larger(divide_up(product->rows, TILE_ROWS) / FEWEST_PART_PANELS, 1);
    plan->row_parts = smaller(divide_up(lanes, items), most_parts);
    plan->lanes = smaller(lanes, items * plan->row_parts);
    place_lane_memory(product, bytes_per_column);
    return TN_OK;
}

uint64_t integer_product_workspace(const integer_product *product) {
    return (uint64_t)product->plan.lanes * product->plan.lane_size;
}

/* Some rows of a chunk of one product. */
typedef struct product_item {
    int64_t number;
    int64_t first_column, columns;
    int64_t first_row, end_row;
} product_item;

static product_item find_item(const integer_product *product, int64_t index) {
    const product_plan *plan = &product->plan;
    const int64_t part = index % plan->row_parts;
    const int64_t chunk = index / plan->row_parts % plan->chunks;
    const int64_t row_panels = divide_up(product->rows, TILE_ROWS);
    const int64_t first = chunk * plan->chunk_columns;
    return (product_item){
        .number = index / plan->row_parts / plan->chunks,
        .first_column = first,
        .columns = smaller(plan->chunk_columns, product->columns - first),
        .first_row = row_panels * part / plan->row_parts * TILE_ROWS,
        .end_row = smaller(row_panels * (part + 1) / plan->row_parts * TILE_ROWS, product->rows),
    };
}

static void multiply_chunk(const integer_product *product, const product_item *item,
                           const int16_t *panels, int32_t *sums) {
    const int64_t stride = divide_up(item->columns, TILE_COLUMNS) * TILE_COLUMNS;
    const int64_t pairs = divide_up(product->depth, 2);
    const int64_t panel_size = right_panels_size(1, product->depth);
    const int16_t *left = product->left + item->number % product->left_count *
                                              left_panels_size(product->rows, product->depth);
    for (int64_t row = item->first_row; row < item->end_row; row += TILE_ROWS) {
        const int16_t *rows = left + left_panels_size(row, product->depth);
        for (int64_t column = 0; column < item->columns; column += TILE_COLUMNS) {
            product->multiply(pairs, rows, panels + column / TILE_COLUMNS * panel_size,
                              sums + column, stride);
        }
        for (int64_t i = 0; i < smaller(TILE_ROWS, item->end_row - row); i++) {
            product->store(product->context, item->number, row + i, item->first_column,
                           item->columns, sums + i * stride);
        }
    }
}

static void run_lanes(void *context, int64_t begin, int64_t end) {
    const integer_product *product = context;
    const product_plan *plan = &product->plan;
    const int64_t items = product->count * plan->chunks * plan->row_parts;
    for (int64_t lane = begin; lane < end; lane++) {
        char *memory = product->workspace + (uint64_t)lane * plan->lane_size;
        for (int64_t i = items * lane / plan->lanes; i < items * (lane + 1) / plan->lanes; i++) {
            const product_item item = find_item(product, i);
            int16_t *packed = (int16_t *)(void *)(memory + plan->panels_place);
            const int16_t *panels = packed;
            if (product->right != NULL) {
                panels = product->right + right_panels_size(item.first_column, product->depth);
            } else {
                product->pack_columns(product->context, item.number, item.first_column,
                                      item.columns, memory + plan->bytes_place, packed);
            }
            multiply_chunk(product, &item, panels, (int32_t *)(void *)memory);
        }
    }
}

void integer_product_run(const tn_host *host, const integer_product *product) {
    integer_product job = *product;
    if (product->rows > 0 && product->columns > 0) {
        job.multiply = multiply_tile_select();
        tn_parallel_for(host, product->plan.lanes, 1, run_lanes, &job);
    }
}
