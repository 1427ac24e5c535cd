/*
 * What a window sees of the channels of an image, as the columns of a matrix: a row for each
 * channel and offset of the kernel, a column for each place of the window.
 */
#ifndef OPS_ONNX_WINDOW_COLUMNS_H
#define OPS_ONNX_WINDOW_COLUMNS_H

#include "window.h"

typedef struct window_columns {
    const sliding_window *window;
    int64_t channels;
    size_t element_size;
    unsigned char padding[8]; /* the element that is around the data */
    const char *data;         /* `channels` planes */
    char *columns;
} window_columns;

void window_columns_fill(const tn_host *host, const window_columns *columns);

/* A part of one row, to `target`: the places of some lines along the innermost axis. */
void window_columns_fill_row(const window_columns *columns, int64_t row, int64_t first_line,
                             int64_t lines, char *target);

/* The way back: adds columns of doubles to planes of doubles, each element to where it came from.
 */
void window_columns_add(const tn_host *host, const sliding_window *window, int64_t channels,
                        const double *columns, double *planes);

/* The elements of a plane, and the rows of the columns of one channel. */
int64_t window_plane_size(const sliding_window *window);

#endif
