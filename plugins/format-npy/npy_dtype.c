#include "npy.h"

static const struct {
    tn_dtype dtype;
    const char *descr; /* little-endian */
} types[] = {
    {TN_BOOL, "|b1"}, {TN_I8, "|i1"},  {TN_I16, "<i2"}, {TN_I32, "<i4"},
    {TN_I64, "<i8"},  {TN_U8, "|u1"},  {TN_U16, "<u2"}, {TN_U32, "<u4"},
    {TN_U64, "<u8"},  {TN_F16, "<f2"}, {TN_F32, "<f4"}, {TN_F64, "<f8"},
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

const char *npy_descr(tn_dtype dtype) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].dtype == dtype) {
            return types[i].descr;
        }
    }
    return NULL;
}

tn_dtype npy_dtype(const char *kind_and_size) {
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].descr + 1, kind_and_size) == 0) {
            return types[i].dtype;
        }
    }
    return 0;
}
