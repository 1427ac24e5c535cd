/* MXNet's numbers for element types. */
#ifndef LOADER_MXNET_DTYPE_H
#define LOADER_MXNET_DTYPE_H

#include <tenon/plugin/types.h>

static const tn_dtype extension_dtypes[] = {TN_F32, TN_F64, TN_F16, TN_U8, TN_I32, TN_I8, TN_I64};
enum { EXTENSION_DTYPE_COUNT = sizeof extension_dtypes / sizeof extension_dtypes[0] };

/* -1: libraries have no such type. Anything but these numbers makes a library throw. */
static inline int extension_dtype(tn_dtype dtype) {
    for (int i = 0; i < EXTENSION_DTYPE_COUNT; i++) {
        if (extension_dtypes[i] == dtype) {
            return i;
        }
    }
    return -1;
}

/* Its numbers for storage types, -1 for one that is not known. */
static inline int extension_storage(uint32_t storage) {
    return (int)storage - (int)TN_STORAGE_DENSE;
}

#endif
