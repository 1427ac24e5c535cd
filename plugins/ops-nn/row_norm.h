/*
 * Normalisation of rows: mean 0, variance 1. A row is a part of an array whose elements are
 * `stride` apart.
 */
#ifndef OPS_NN_ROW_NORM_H
#define OPS_NN_ROW_NORM_H

#include <math.h>

#include "element_block.h"
#include "row_sums.h"

typedef struct element_row {
    int64_t first;
    int64_t stride;
    int64_t count;
} element_row;

typedef struct row_moments {
    double mean;
    double variance;
} row_moments;

#include "real_float.h"

#include "row_norm_template.h"

#include "real_double.h"

#include "row_norm_template.h"

#endif
