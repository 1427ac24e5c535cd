/*
 * The kernel that folds a tensor along some of its axes.
 */
#ifndef OPS_MATH_REDUCTION_KERNEL_H
#define OPS_MATH_REDUCTION_KERNEL_H

#include "folds.h"
#include "reduced_axes.h"

/* What is done with a finished accumulator. */
typedef enum reduction_finish {
    FINISH_NONE,
    FINISH_MEAN,
    FINISH_SQUARE_ROOT,
    FINISH_LOGARITHM /* of the sum of reals: the integers' folds have none */
} reduction_finish;

tn_status prepare_fold(tn_prepare_call *call, const reduced_axes *axes, fold_kind kind,
                       reduction_finish finish);
tn_status fold_run(const tn_run_call *call);

/* Both at once, where the axes are known only when the run begins. */
void run_unprepared_fold(const tn_run_call *call, const reduced_axes *axes, fold_kind kind,
                         reduction_finish finish);

#endif
