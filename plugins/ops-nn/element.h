/*
 * Elements of the four floating types. Kernels compute in float or double, the "real" type of a
 * dtype: 16-bit elements are widened when they are loaded and rounded when they are stored. 8-bit
 * integers are loaded and stored too, for kernels that only choose among elements.
 */
#ifndef OPS_NN_ELEMENT_H
#define OPS_NN_ELEMENT_H

#include <tenon/plugin.h>

/* The dtypes that the kernels of this folder compute with. */
#define FLOATING_DTYPE_COUNT 4u
extern const tn_dtype floating_dtypes[FLOATING_DTYPE_COUNT];

static inline tn_dtype real_dtype(tn_dtype dtype) {
    return dtype == TN_F64 ? TN_F64 : TN_F32;
}

static inline size_t real_size(tn_dtype dtype) {
    return TN_DTYPE_SIZE(real_dtype(dtype));
}

/* The address of element `index`. */
static inline const void *element_at(tn_dtype dtype, const void *elements, int64_t index) {
    return (const char *)elements + index * (int64_t)TN_DTYPE_SIZE(dtype);
}

static inline void *element_at_mutable(tn_dtype dtype, void *elements, int64_t index) {
    return (char *)elements + index * (int64_t)TN_DTYPE_SIZE(dtype);
}

/* Loads `count` elements that are `stride` elements apart as a run of reals. */
typedef void (*element_loader)(const void *source, int64_t stride, int64_t count, void *reals);
element_loader element_loader_of(tn_dtype dtype);

/* Stores a run of reals as elements. */
typedef void (*element_storer)(const void *reals, int64_t count, void *target);
element_storer element_storer_of(tn_dtype dtype);

#endif
