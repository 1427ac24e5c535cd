/* Sums, products, extremes and norms along some axes. */
#ifndef KERNELS_VULKAN_REDUCE_H
#define KERNELS_VULKAN_REDUCE_H

#include "fold.h"

/* The folds and finishes of reduce.comp. */
enum {
    FOLD_SUM,
    FOLD_PRODUCT,
    FOLD_SUM_WITHOUT_NAN,
    FOLD_PRODUCT_WITHOUT_NAN,
    FOLD_GREATEST,
    FOLD_LEAST,
    FOLD_SUM_OF_MAGNITUDES,
    FOLD_SUM_OF_SQUARES
};
enum { FINISH_NOTHING, FINISH_MEAN, FINISH_SQUARE_ROOT, FINISH_LOGARITHM };

/* Input 0 to output 0, of one dtype. */
tn_status prepare_fold(tn_prepare_call *call, const fold_axes *axes, uint32_t fold,
                       uint32_t finish);

#endif
