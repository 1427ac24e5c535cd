/* Copying between strided places of compact tensors: slices, tiles, paddings, stretched shapes. */
#ifndef OPS_ONNX_STRIDED_COPY_H
#define OPS_ONNX_STRIDED_COPY_H

#include <tenon/plugin.h>

typedef struct strided_copy {
    int32_t rank;
    size_t element_size;
    int64_t extents[TN_MAX_RANK];
    int64_t source_strides[TN_MAX_RANK]; /* in elements; 0 repeats, negative goes backwards */
    int64_t target_strides[TN_MAX_RANK];
} strided_copy;

/* A copy over the whole of `view`, from and to compact memory of its shape: to be changed. */
void strided_copy_begin(strided_copy *copy, const tn_view *view);

/* From and to the first elements given. */
void strided_copy_run(const tn_host *host, const strided_copy *copy, const void *source,
                      void *target);

/* Fills a tensor with an element, or with zeros where `element` is NULL. */
void fill_tensor(const tn_view *view, const void *element);

#endif
