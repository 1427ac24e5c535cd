/*
 * The right operand of a convolution as a matrix product: a column for each place of the kernel,
 * which holds the elements that the kernel meets there. It is made panel by panel, when it is
 * needed.
 */
#ifndef OPS_NN_CONVOLUTION_COLUMNS_H
#define OPS_NN_CONVOLUTION_COLUMNS_H

#include "convolution_plan.h"

/* Makes panel number `panel` of places. `image` is the first channel of the group. */
void convolution_pack_columns(const convolution_plan *plan, const void *image, int64_t panel,
                              void *columns);

#endif
