/*
 * Running a convolution backwards. A matrix product gives every element of data its copy of the
 * kernel: a column that holds, for each channel of output, a product for each element of the
 * kernel. The columns are then added to the output where they belong.
 */
#ifndef OPS_NN_DECONVOLUTION_PLAN_H
#define OPS_NN_DECONVOLUTION_PLAN_H

#include "matrix_product.h"
#include "window.h"

typedef struct deconvolution_plan {
    window_axis axes[WINDOW_MAX_RANK]; /* pad: what is cut off in front */
    int64_t source[WINDOW_MAX_RANK];   /* spatial extents of data */
    int64_t target[WINDOW_MAX_RANK];   /* spatial extents of output */
    int64_t source_count;              /* their products */
    int64_t target_count;
    int64_t kernel_count;
    int64_t sample_count;
    int64_t channel_count;  /* of data */
    int64_t filter_count;   /* channels of output */
    matrix_product product; /* for one sample; the groups are its batch */
    uint64_t column_place;  /* in the workspace */
    uint64_t sum_place;
    uint64_t product_place;
} deconvolution_plan;

/* A kernel's prepare, for inputs data and weight and maybe bias: makes the plan its state. */
tn_status deconvolution_plan_create(tn_prepare_call *call, const sliding_window *window,
                                    int64_t group_count);

/* A kernel's run with such a state. */
tn_status deconvolution_run(const tn_run_call *call);

#endif
