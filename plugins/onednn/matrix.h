/*
 * Products of matrices by oneDNN: what a node multiplies, whatever its operator is.
 */
#ifndef ONEDNN_MATRIX_H
#define ONEDNN_MATRIX_H

#include "program.h"

/* One operand: `batch` matrices, of which each element's place follows from three strides. */
typedef struct matrix_side {
    int64_t batch_stride, row_stride, column_stride;
} matrix_side;

/* output[b] = left[b] * right[b] + bias, `rows` by `depth` times `depth` by `columns`. */
typedef struct matrix_job {
    int64_t batch, rows, columns, depth;
    matrix_side left, right;
    uint32_t bias_input; /* 0: none; else a row that is added to each */
} matrix_job;

/* Whether it is large enough for the library. */
int matrix_is_worth(const matrix_job *job);

/* Makes the program. Inputs 0 and 1 are the operands, output 0 is compact and row-major. */
tn_status matrix_prepare(tn_prepare_call *call, const matrix_job *job);

#endif
