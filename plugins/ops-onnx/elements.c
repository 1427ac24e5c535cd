#include "elements.h"

#include <math.h>

const tn_dtype floating_dtypes[4] = {TN_F16, TN_BF16, TN_F32, TN_F64};

/* X(dtype, type in memory, lowest, highest) */
#define INTEGERS(X)                                                                                \
    X(TN_I8, int8_t, INT8_MIN, INT8_MAX)                                                           \
    X(TN_I16, int16_t, INT16_MIN, INT16_MAX)                                                       \
    X(TN_I32, int32_t, INT32_MIN, INT32_MAX)                                                       \
    X(TN_I64, int64_t, INT64_MIN, INT64_MAX)                                                       \
    X(TN_U8, uint8_t, 0, UINT8_MAX)                                                                \
    X(TN_U16, uint16_t, 0, UINT16_MAX)                                                             \
    X(TN_U32, uint32_t, 0, UINT32_MAX)                                                             \
    X(TN_U64, uint64_t, 0, UINT64_MAX)

/* X(dtype, type in memory, number of the element x, element of the number x) */
#define FLOATS(X)                                                                                  \
    X(TN_F32, float, x, (float)x)                                                                  \
    X(TN_F64, double, x, (double)x)                                                                \
    X(TN_F16, uint16_t, tn_float_from_f16(x), tn_f16_from_float((float)x))                         \
    X(TN_BF16, uint16_t, tn_float_from_bf16(x), tn_bf16_from_float((float)x))

double read_number(tn_dtype dtype, const void *elements, int64_t index) {
    double value;
    read_doubles(dtype, elements, index, 1, 1, &value);
    return value;
}

static int64_t truncate(double x) {
    if (x != x) {
        return 0;
    }
    return x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (int64_t)x;
}

int64_t read_integer(tn_dtype dtype, const void *elements, int64_t index) {
    switch (dtype) {
    case TN_I64: return ((const int64_t *)elements)[index];
    case TN_U64: {
        const uint64_t x = ((const uint64_t *)elements)[index];
        return x > INT64_MAX ? INT64_MAX : (int64_t)x;
    }
    default: return truncate(read_number(dtype, elements, index));
    }
}

void write_number(tn_dtype dtype, void *elements, int64_t index, double value) {
    write_doubles(dtype, elements, index, 1, 1, &value);
}

void write_integer(tn_dtype dtype, void *elements, int64_t index, int64_t value) {
    switch (dtype) {
#define WRITE_INTEGER(DTYPE, TYPE, LOWEST, HIGHEST)                                                \
    case DTYPE: ((TYPE *)elements)[index] = (TYPE)value; break;
        INTEGERS(WRITE_INTEGER)
    case TN_BOOL: ((uint8_t *)elements)[index] = value != 0; break;
    default: write_number(dtype, elements, index, (double)value); break;
    }
}

#define SATURATE(TYPE, LOWEST, HIGHEST)                                                            \
    (x != x                   ? (TYPE)0                                                            \
     : x <= (double)(LOWEST)  ? (TYPE)(LOWEST)                                                     \
     : x >= (double)(HIGHEST) ? (TYPE)(HIGHEST)                                                    \
                              : (TYPE)x)

#define READ_FLOATS_CASE(DTYPE, TYPE, READ, WRITE)                                                 \
    case DTYPE:                                                                                    \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const TYPE x = ((const TYPE *)elements)[first + i * stride];                           \
            out_values[i] = TARGET(READ);                                                          \
        }                                                                                          \
        break;
#define READ_INTEGERS_CASE(DTYPE, TYPE, LOWEST, HIGHEST) READ_FLOATS_CASE(DTYPE, TYPE, x, x)
#define WRITE_FLOATS_CASE(DTYPE, TYPE, READ, WRITE)                                                \
    case DTYPE:                                                                                    \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const double x = (double)values[i];                                                    \
            ((TYPE *)elements)[first + i * stride] = WRITE;                                        \
        }                                                                                          \
        break;
#define WRITE_INTEGERS_CASE(DTYPE, TYPE, LOWEST, HIGHEST)                                          \
    WRITE_FLOATS_CASE(DTYPE, TYPE, x, SATURATE(TYPE, LOWEST, HIGHEST))

#define READ_BODY                                                                                  \
    switch (dtype) {                                                                               \
        FLOATS(READ_FLOATS_CASE)                                                                   \
        INTEGERS(READ_INTEGERS_CASE)                                                               \
        READ_FLOATS_CASE(TN_BOOL, uint8_t, x != 0, x)                                              \
    default: break;                                                                                \
    }
#define WRITE_BODY                                                                                 \
    switch (dtype) {                                                                               \
        FLOATS(WRITE_FLOATS_CASE)                                                                  \
        INTEGERS(WRITE_INTEGERS_CASE)                                                              \
        WRITE_FLOATS_CASE(TN_BOOL, uint8_t, x, x != 0)                                             \
    default: break;                                                                                \
    }

#define TARGET(VALUE) (double)(VALUE)
void read_doubles(tn_dtype dtype, const void *elements, int64_t first, int64_t stride,
                  int64_t count, double *out_values) {
    READ_BODY
}
#undef TARGET

#define TARGET(VALUE) (float)(VALUE)
void read_floats(tn_dtype dtype, const void *elements, int64_t first, int64_t stride, int64_t count,
                 float *out_values) {
    READ_BODY
}
#undef TARGET

void write_doubles(tn_dtype dtype, void *elements, int64_t first, int64_t stride, int64_t count,
                   const double *values) {
    WRITE_BODY
}

void write_floats(tn_dtype dtype, void *elements, int64_t first, int64_t stride, int64_t count,
                  const float *values){WRITE_BODY}

int32_t supports_floating_first_input(const tn_kernel_query *query) {
    return is_floating(query->inputs[0].dtype);
}
