/*
 * Operands of matrix products, packed for the micro-kernels. A panel holds a few rows of the left
 * operand or a few columns of the right one, as reals: all that belong to one term of the sums lie
 * together, term after term. A last panel that is not full is filled up with zeros.
 */
#ifndef OPS_NN_PANELS_H
#define OPS_NN_PANELS_H

#include "element.h"
#include "micro_kernels.h"
#include "size.h"

/* A matrix as it lies in memory, in the four floating dtypes. Strides are in elements. */
typedef struct matrix_operand {
    const void *data;
    tn_dtype dtype;
    int64_t count;        /* rows of a left operand, columns of a right one */
    int64_t stride;       /* from one of them to the next */
    int64_t depth_stride; /* from one term of the sums to the next */
} matrix_operand;

static inline int64_t panel_columns(tn_dtype dtype) {
    return TILE_COLUMNS(real_size(dtype));
}

/* The bytes of one panel of `width`, and of all panels of `count` rows or columns. */
uint64_t panel_size(tn_dtype dtype, int64_t depth, int64_t width);
uint64_t panels_size(tn_dtype dtype, int64_t count, int64_t depth, int64_t width);

/* Packs panels `begin` to `end`; `panels` is where panel 0 is. */
void panels_pack(const matrix_operand *operand, int64_t depth, int64_t width, int64_t begin,
                 int64_t end, void *panels);

#endif
