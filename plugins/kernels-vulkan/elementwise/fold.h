/*
 * Folds: many elements become one, along some axes. The elements of an output are shared out among
 * the lanes of a workgroup, and where they are many among workgroups: then the partial results lie
 * in the workspace, and a second launch folds these.
 */
#ifndef KERNELS_VULKAN_FOLD_H
#define KERNELS_VULKAN_FOLD_H

#include "axes.h"
#include "elements.h"

/* As many as folding.glsl takes. */
#define MAX_FOLD_AXES 5u

/* What is folded and what is kept, from the outermost axis to the innermost. */
typedef struct fold_axes {
    joined_axes kept; /* operand 0 is the data, operand 1 is not used */
    joined_axes folded;
    int64_t outputs;
    int64_t elements; /* for each output */
    int innermost_is_folded;
} fold_axes;

/* `is_folded` has a mark for each axis. */
fold_axes fold_axes_of(int32_t rank, const int64_t *extents, const unsigned char *is_folded);

static inline int32_t fold_axes_fit(const fold_axes *axes) {
    return axes->kept.rank <= MAX_FOLD_AXES && axes->folded.rank <= MAX_FOLD_AXES;
}

typedef struct fold_work {
    const shader_code *shader;
    uint32_t fold;
    uint32_t finish;
    int has_finish;
    uint32_t partial_size; /* bytes of a partial result */
} fold_work;

/* Adds the launches. */
void add_fold(device_program *program, const tn_prepare_call *call, const fold_axes *axes,
              const fold_work *work);

#endif
