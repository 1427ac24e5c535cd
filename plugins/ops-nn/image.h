/*
 * The data of a convolution as its inner loops want it: reals, with zeros around them, and with the
 * elements of each row sorted by their position modulo the kernel's stride, so that what
 * neighbouring places of the kernel meet lies side by side. Data that is like this already is used
 * where it lies.
 */
#ifndef OPS_NN_IMAGE_H
#define OPS_NN_IMAGE_H

#include "element.h"
#include "window.h"

typedef struct image_layout {
    tn_dtype dtype;                   /* of the data */
    int32_t is_copy;                  /* otherwise it is the data itself */
    int64_t plane_count;              /* channels of all samples */
    int64_t source[WINDOW_MAX_RANK];  /* the data's extents */
    int64_t pad[WINDOW_MAX_RANK];     /* zeros in front */
    int64_t extents[WINDOW_MAX_RANK]; /* as far as the kernel reaches */
    int64_t phases;                   /* the stride along the last axis */
    int64_t phase_extent;             /* elements of one phase in a row */
    int64_t row_size;                 /* elements */
    int64_t plane_size;               /* elements */
    uint64_t size;                    /* the copy's bytes; 0 when it is none */
} image_layout;

/* Lays out the image for kernels that take `places` places along each axis. When its size is
 * SIZE_TOO_LARGE, it must not be used. */
void image_init(image_layout *out_layout, tn_dtype dtype, int64_t plane_count,
                const int64_t source[WINDOW_MAX_RANK], const window_axis axes[WINDOW_MAX_RANK],
                const int64_t places[WINDOW_MAX_RANK], int always_copy);

/* Makes the copy. */
void image_fill(const tn_host *host, const image_layout *layout, const void *data, void *copy);

/* Where in a plane the element is that has these padded coordinates. */
static inline int64_t image_offset(const image_layout *layout, int64_t z, int64_t y, int64_t x) {
    return (z * layout->extents[1] + y) * layout->row_size +
           x % layout->phases * layout->phase_extent + x / layout->phases;
}

#endif
