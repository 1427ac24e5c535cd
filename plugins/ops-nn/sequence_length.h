/* How many steps of each sequence count, from a tensor of any number type. */
#ifndef OPS_NN_SEQUENCE_LENGTH_H
#define OPS_NN_SEQUENCE_LENGTH_H

#include <tenon/plugin.h>

/* Element `index` without its fraction, brought between 0 and `most`; NaN is 0. */
static inline int64_t sequence_length_at(const tn_view *lengths, int64_t index, int64_t most) {
    const void *elements = tn_data(lengths);
    double length;
    switch (lengths->dtype) {
    case TN_F16: length = (double)tn_float_from_f16(((const uint16_t *)elements)[index]); break;
    case TN_BF16: length = (double)tn_float_from_bf16(((const uint16_t *)elements)[index]); break;
    case TN_F32: length = (double)((const float *)elements)[index]; break;
    case TN_F64: length = ((const double *)elements)[index]; break;
    case TN_I8: length = ((const int8_t *)elements)[index]; break;
    case TN_U8: length = ((const uint8_t *)elements)[index]; break;
    case TN_I32: length = ((const int32_t *)elements)[index]; break;
    default: length = (double)((const int64_t *)elements)[index]; break;
    }
    if (!(length >= 1)) {
        return 0;
    }
    return length < (double)most ? (int64_t)length : most;
}

/* The types that lengths can have, which MXNet has as well. */
static inline int is_sequence_length_dtype(tn_dtype dtype) {
    switch (dtype) {
    case TN_F16:
    case TN_BF16:
    case TN_F32:
    case TN_F64:
    case TN_I8:
    case TN_U8:
    case TN_I32:
    case TN_I64: return 1;
    default: return 0;
    }
}

#endif
