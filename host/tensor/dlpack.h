/*
 * DLPack's struct of exchange as its versions 0.2 to 0.8 lay it out. The tensor in it is byte for
 * byte a tn_view; DLPack declares the two extents pointers without const.
 */
#ifndef TENON_TENSOR_DLPACK_H
#define TENON_TENSOR_DLPACK_H

#include <tenon/plugin/types.h>

struct DLManagedTensor {
    tn_view tensor;
    void *context; /* the maker's own */
    void (*deleter)(struct DLManagedTensor *self);
};

#endif
