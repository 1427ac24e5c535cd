/*
 * The shapes of a matrix product as numpy has it: the last two axes are matrices, those before them
 * stretch to one another, and a vector is a matrix of one row (left) or column (right) whose axis
 * is not in the result.
 */
#ifndef OPS_ONNX_MATMUL_SHAPE_H
#define OPS_ONNX_MATMUL_SHAPE_H

#include "shapes.h"

typedef struct matmul_shape {
    int64_t rows, columns, depth;
    int64_t batches;
    shape_walk batch_walk; /* offsets of the left (0) and the right (1) matrix in elements */
} matmul_shape;

tn_status matmul_shape_of(const tn_host *host, const tn_view *left, const tn_view *right,
                          matmul_shape *out_shape);

/* Output 0 from the inputs numbered. */
tn_status infer_matmul_shape(tn_infer_call *call, uint32_t left, uint32_t right);

#endif
