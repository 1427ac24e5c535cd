/* Rows brought to a mean and a variance, or to a length. */
#ifndef KERNELS_VULKAN_DENSE_ROW_NORM_H
#define KERNELS_VULKAN_DENSE_ROW_NORM_H

#include "lanes.h"

/* How often a row is read. */
#define PASSES 3

/* As in row_norm.comp: gamma and beta are by element of a row, by row, not there, or by channel. */
enum { FORM_ELEMENTS, FORM_ROWS, FORM_LENGTH, FORM_CHANNELS };

typedef struct row_norm {
    uint32_t form;
    axis_split split; /* the rows lie along its middle */
    int64_t vectors;  /* how many gammas there are, for rows and channels */
    int64_t plane;    /* elements of a channel */
    double epsilon;
    int gives_inverse; /* one over the deviation, as an output */
} row_norm;

/* Input 0, with gamma and beta in inputs 1 and 2, to output 0; with the outputs mean and deviation
 * where there are three. */
tn_status prepare_row_norm(tn_prepare_call *call, const row_norm *norm);

/* Rows without elements have moments all the same, which is left to the CPU. */
static inline int32_t supports_rows(const tn_kernel_query *query, int64_t extent) {
    return supports_sizes(query) && extent > 0 && extent <= LANES_LONGEST(PASSES);
}

#endif
