/*
 * Copies elements between two buffers along any number of axes, each with its own extent and its
 * own stride on either side. Transposing, slicing, tiling, joining and the like are all of this
 * form: an operator describes the axes once, and running the copy knows nothing of the operator.
 */
#ifndef OPS_SHAPE_STRIDED_COPY_H
#define OPS_SHAPE_STRIDED_COPY_H

#include <tenon/plugin.h>

/* Twice the rank of a tensor: tiling describes every axis by two. */
#define STRIDED_COPY_MAX_RANK (2 * TN_MAX_RANK)

typedef struct strided_axis {
    int64_t extent;
    int64_t source_stride; /* bytes; 0 repeats, negative runs backwards */
    int64_t target_stride; /* bytes */
} strided_axis;

/* Copies rows `begin` to `end` of a plane. `source` and `target` are the plane's first element. */
typedef void (*plane_copier)(const strided_axis *rows, const strided_axis *columns, int64_t begin,
                             int64_t end, const char *source, char *target);

typedef struct strided_copy {
    int32_t rank;
    uint32_t unit;         /* bytes that are moved at once */
    int64_t source_offset; /* of the first element, in bytes */
    int64_t target_offset;
    int64_t block_rows;      /* rows of a plane in one block of work */
    int64_t block_count;     /* blocks in a plane */
    int64_t item_count;      /* blocks altogether; 0: nothing to copy */
    int64_t grain;           /* blocks that are worth a thread */
    plane_copier copy_plane; /* NULL: the whole is one run of bytes */
    strided_axis axes[STRIDED_COPY_MAX_RANK];
} strided_copy;

/* Starts a description: no axes yet, so one element. */
void strided_copy_begin(strided_copy *copy, size_t element_size);

/* Adds an axis; strides are in elements. */
void strided_copy_add_axis(strided_copy *copy, int64_t extent, int64_t source_stride,
                           int64_t target_stride);

/* Moves the first element; offsets are in elements. */
void strided_copy_offset(strided_copy *copy, int64_t source_elements, int64_t target_elements);

/* Ends the description: orders and joins axes and chooses how to walk them. */
void strided_copy_finish(strided_copy *copy);

/* Does it. The elements read and the elements written must not overlap. */
void strided_copy_run(const tn_host *host, const strided_copy *copy, const void *source,
                      void *target);

/* Copies one run of bytes on all threads. */
void copy_bytes(const tn_host *host, void *target, const void *source, int64_t size);

#endif
