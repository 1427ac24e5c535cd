/*
 * Operands of products of 8-bit integers, packed for the tile's loop (integer_tile.h): int16, less
 * their zero points. A panel that is not full is filled up with zeros.
 */
#ifndef OPS_ONNX_INTEGER_PANELS_H
#define OPS_ONNX_INTEGER_PANELS_H

#include <tenon/plugin.h>

#include "integer_tile.h"

/* A row-major matrix of int8 or uint8. */
typedef struct byte_matrix {
    const void *elements;
    tn_dtype dtype;
    int64_t rows, columns;
    int64_t stride;            /* from one row to the next */
    const tn_view *zero_point; /* NULL: 0. Else one for all, or one for each row of a left operand,
                                  for each column of a right one */
    int64_t first_zero;        /* the number of the first of them */
} byte_matrix;

/* How many elements the panels have that hold `count` rows or columns of `depth` terms. */
int64_t left_panels_size(int64_t count, int64_t depth);
int64_t right_panels_size(int64_t count, int64_t depth);

/* All rows of a left operand; the columns of a right one from `first` on. */
void pack_left(const byte_matrix *matrix, int16_t *panels);
void pack_right(const byte_matrix *matrix, int64_t first, int64_t count, int16_t *panels);

#endif
