/*
 * How a node that slides a window over images is cut into items: whole images, several in one item
 * when there are many, or the rows of each image, when there are fewer images than threads.
 */
#ifndef ONEDNN_SPLIT_H
#define ONEDNN_SPLIT_H

#include "descriptor.h"

/* The window along one spatial axis. */
typedef struct window_side {
    int64_t kernel, stride, dilate;
    int64_t pad, pad_behind;
} window_side;

#define WINDOW_MAX_RANK 3

typedef struct window_shape {
    int32_t rank; /* spatial axes, 1 to 3 */
    window_side sides[WINDOW_MAX_RANK];
} window_shape;

typedef struct image_split {
    int64_t images_in_item;
    int64_t image_items; /* items along the batch */
    int64_t parts;       /* of the first spatial axis of the output */
} image_split;

/* `cost`: multiplications or comparisons in the whole node. */
image_split image_split_find(const tn_view *output, uint32_t threads, double cost);

/* One part: rows `begin` to `end` of the output's first spatial axis need these rows of the input,
 * with this padding. */
typedef struct row_part {
    int64_t begin, end;
    int64_t input_begin, input_end;
    int64_t pad, pad_behind;
} row_part;

row_part image_split_part(const image_split *split, int64_t part, const window_side *side,
                          int64_t rows, int64_t input_rows);

/* The same of a deconvolution: the padding is what is taken away from the rows that those of the
 * input make. */
row_part image_split_transposed_part(const image_split *split, int64_t part,
                                     const window_side *side, int64_t rows, int64_t input_rows);

/* `images` images and rows [begin, end) of a view. */
view_part view_part_rows(const tn_view *view, int64_t images, int64_t begin, int64_t end);

#endif
