#include "dtype.h"

static const tn_dtype by_number[] = {TN_F32,  TN_F64, TN_F16, TN_U8,  TN_I32, TN_I8,  TN_I64,
                                     TN_BOOL, TN_I16, TN_U16, TN_U32, TN_U64, TN_BF16};

enum { NUMBER_COUNT = sizeof by_number / sizeof by_number[0] };

tn_dtype dtype_from_mxnet(int64_t number) {
    return number >= 0 && number < NUMBER_COUNT ? by_number[number] : 0;
}

int32_t dtype_to_mxnet(tn_dtype dtype) {
    for (int32_t number = 0; number < NUMBER_COUNT; number++) {
        if (by_number[number] == dtype) {
            return number;
        }
    }
    return -1;
}
