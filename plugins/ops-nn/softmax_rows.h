/* The softmax of vectors that data is made of, for all operators that are one. */
#ifndef OPS_NN_SOFTMAX_ROWS_H
#define OPS_NN_SOFTMAX_ROWS_H

#include "axis_split.h"

typedef struct softmax_problem {
    const tn_view *data;
    const tn_view *result;  /* of the same shape, perhaps of another floating dtype */
    axis_split split;       /* the vectors lie along its middle */
    double divisor;         /* of the elements, before the exponential is taken */
    int32_t logarithmic;    /* gives the logarithms of the result */
    const tn_view *lengths; /* NULL, or how many elements of each vector count; the others give 0 */
} softmax_problem;

/* The run of a kernel whose output is the softmax of data along the axes from `begin` to `end`
 * (exclusive) together. */
tn_status run_softmax_along(const tn_run_call *call, int32_t begin, int32_t end);

void run_softmax(const tn_host *host, const softmax_problem *problem);

#endif
