#include "split.h"

/* Less than this is not worth another thread. */
#define COST_OF_AN_ITEM 200000.0

#define MOST_ITEMS 64

static int64_t at_most(int64_t value, int64_t limit) {
    return value < limit ? value : limit;
}

static int64_t largest_divisor(int64_t number, int64_t limit) {
    int64_t divisor = at_most(number, limit);
    while (number % divisor != 0) {
        divisor--;
    }
    return divisor;
}

/* Twice as many items as threads, so that a thread that is held up can be helped out. */
image_split image_split_find(const tn_view *output, uint32_t threads, double cost) {
    const int64_t images = output->shape[0];
    const double worth = cost / COST_OF_AN_ITEM;
    const int64_t most = worth < 1 ? 1 : worth > 1e6 ? 1000000 : (int64_t)worth;
    const int64_t wanted =
        threads < 2 ? 1 : at_most(at_most(2 * (int64_t)threads, MOST_ITEMS), most);
    if (images >= wanted) {
        const int64_t group = largest_divisor(images, images / wanted);
        return (image_split){group, images / group, 1};
    }
    return (image_split){1, images, at_most((wanted + images - 1) / images, output->shape[2])};
}

row_part image_split_part(const image_split *split, int64_t part, const window_side *side,
                          int64_t rows, int64_t input_rows) {
    row_part found = {.begin = rows * part / split->parts, .end = rows * (part + 1) / split->parts};
    if (split->parts == 1) { /* rows that are not needed stay: images without gaps are faster */
        return (row_part){0, rows, 0, input_rows, side->pad, side->pad_behind};
    }
    const int64_t first = found.begin * side->stride - side->pad;
    const int64_t behind =
        (found.end - 1) * side->stride - side->pad + (side->kernel - 1) * side->dilate + 1;
    found.pad = first < 0 ? -first : 0;
    found.pad_behind = behind > input_rows ? behind - input_rows : 0;
    found.input_begin = first < 0 ? 0 : at_most(first, input_rows);
    found.input_end = at_most(behind, input_rows);
    return found;
}

row_part image_split_transposed_part(const image_split *split, int64_t part,
                                     const window_side *side, int64_t rows, int64_t input_rows) {
    row_part found = {.begin = rows * part / split->parts, .end = rows * (part + 1) / split->parts};
    const int64_t reach = (side->kernel - 1) * side->dilate;
    const int64_t before = found.begin + side->pad - reach;
    found.input_begin = before <= 0 ? 0 : (before + side->stride - 1) / side->stride;
    found.input_end = at_most((found.end - 1 + side->pad) / side->stride + 1, input_rows);
    found.input_begin = at_most(found.input_begin, found.input_end - 1);
    found.pad = found.begin + side->pad - found.input_begin * side->stride;
    found.pad_behind = (found.input_end - 1) * side->stride + reach + 1 - side->pad - found.end;
    return found;
}

view_part view_part_rows(const tn_view *view, int64_t images, int64_t begin, int64_t end) {
    view_part part = view_part_of(view);
    part.extents[0] = images;
    part.extents[2] = end - begin;
    return part;
}
