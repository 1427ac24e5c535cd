/*
 * Kernels that work block by block, in float or double. A block of an array that has that type
 * already is used where it lies, any other is converted to and from a little memory of the
 * kernel's:
 *
 *   const float *x = read_block_f32(from, first, stride, count, from_block);
 *   float *y = target_block_f32(to, first, stride, to_block);
 *   … y[i] = f(x[i]) …
 *   write_block_f32(to, first, stride, count, y);
 */
#ifndef OPS_NN_ELEMENT_BLOCK_H
#define OPS_NN_ELEMENT_BLOCK_H

#include "element.h"

#define BLOCK_LENGTH 256

typedef struct element_array {
    void *elements;
    tn_dtype dtype; /* one of floating_dtypes */
} element_array;

static inline element_array elements_of(const tn_view *view) {
    return (element_array){tn_data(view), view->dtype};
}

/* The length of the block that begins at `first`, in a range that ends at `end`. */
static inline int64_t block_length(int64_t first, int64_t end) {
    return end - first < BLOCK_LENGTH ? end - first : BLOCK_LENGTH;
}

#include "real_float.h"

#include "element_block_template.h"

#include "real_double.h"

#include "element_block_template.h"

#endif
