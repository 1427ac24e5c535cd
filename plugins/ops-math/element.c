#include "element.h"

#include <stdint.h>

/* X(name, dtype, type in memory, compute type,
 *   memory from a floating compute type, memory from an integer compute type);
 * `x` is the element. */
#define DTYPES(X)                                                                                  \
    X(f16, TN_F16, uint16_t, F32, tn_f16_from_float((float)x), tn_f16_from_float((float)x))        \
    X(bf16, TN_BF16, uint16_t, F32, tn_bf16_from_float((float)x), tn_bf16_from_float((float)x))    \
    X(f32, TN_F32, float, F32, (float)x, (float)x)                                                 \
    X(f64, TN_F64, double, F64, (double)x, (double)x)                                              \
    X(i8, TN_I8, int8_t, I32, (int8_t)truncate_to_i32(x), (int8_t)x)                               \
    X(u8, TN_U8, uint8_t, I32, (uint8_t)truncate_to_i32(x), (uint8_t)x)                            \
    X(i16, TN_I16, int16_t, I32, (int16_t)truncate_to_i32(x), (int16_t)x)                          \
    X(u16, TN_U16, uint16_t, I32, (uint16_t)truncate_to_i32(x), (uint16_t)x)                       \
    X(i32, TN_I32, int32_t, I32, truncate_to_i32(x), (int32_t)x)                                   \
    X(u32, TN_U32, uint32_t, I64, (uint32_t)truncate_to_i64(x), (uint32_t)x)                       \
    X(i64, TN_I64, int64_t, I64, truncate_to_i64(x), (int64_t)x)                                   \
    X(u64, TN_U64, uint64_t, U64, truncate_to_u64(x), (uint64_t)x)                                 \
    X(bool, TN_BOOL, uint8_t, I32, (uint8_t)(x != 0), (uint8_t)(x != 0))

static int32_t truncate_to_i32(double x) {
    return x > -0x1p31 - 1 && x < 0x1p31 ? (int32_t)x : INT32_MIN;
}

static int64_t truncate_to_i64(double x) {
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

static uint64_t truncate_to_u64(double x) {
    return x >= 0x1p63 && x < 0x1p64 ? (uint64_t)x : (uint64_t)truncate_to_i64(x);
}

#define DEFINE_CONVERT(NAME, SOURCE, TARGET, EXPRESSION)                                           \
    static void NAME(const void *source, void *target, int64_t count) {                            \
        const SOURCE *restrict from = source;                                                      \
        TARGET *restrict to = target;                                                              \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const SOURCE x = from[i];                                                              \
            to[i] = EXPRESSION;                                                                    \
        }                                                                                          \
    }

#define DEFINE_STORES(NAME, DTYPE, MEMORY, COMPUTE, FROM_FLOAT, FROM_INTEGER)                      \
    DEFINE_CONVERT(convert_f32_##NAME, float, MEMORY, FROM_FLOAT)                                  \
    DEFINE_CONVERT(convert_f64_##NAME, double, MEMORY, FROM_FLOAT)                                 \
    DEFINE_CONVERT(convert_i32_##NAME, int32_t, MEMORY, FROM_INTEGER)                              \
    DEFINE_CONVERT(convert_i64_##NAME, int64_t, MEMORY, FROM_INTEGER)                              \
    DEFINE_CONVERT(convert_u64_##NAME, uint64_t, MEMORY, FROM_INTEGER)
DTYPES(DEFINE_STORES)

DEFINE_CONVERT(convert_f16_f32, uint16_t, float, tn_float_from_f16(x))
DEFINE_CONVERT(convert_bf16_f32, uint16_t, float, tn_float_from_bf16(x))
DEFINE_CONVERT(convert_f16_f64, uint16_t, double, (double)tn_float_from_f16(x))
DEFINE_CONVERT(convert_bf16_f64, uint16_t, double, (double)tn_float_from_bf16(x))
DEFINE_CONVERT(convert_i8_i32, int8_t, int32_t, x)
DEFINE_CONVERT(convert_u8_i32, uint8_t, int32_t, x)
DEFINE_CONVERT(convert_i16_i32, int16_t, int32_t, x)
DEFINE_CONVERT(convert_u16_i32, uint16_t, int32_t, x)
DEFINE_CONVERT(convert_u32_i64, uint32_t, int64_t, x)
DEFINE_CONVERT(convert_bool_i32, uint8_t, int32_t, x != 0)
DEFINE_CONVERT(convert_bool_i64, uint8_t, int64_t, x != 0)
DEFINE_CONVERT(convert_i8_f64, int8_t, double, x)
DEFINE_CONVERT(convert_u8_f64, uint8_t, double, x)
DEFINE_CONVERT(convert_i16_f64, int16_t, double, x)
DEFINE_CONVERT(convert_u16_f64, uint16_t, double, x)
DEFINE_CONVERT(convert_u32_f64, uint32_t, double, x)
DEFINE_CONVERT(convert_bool_f64, uint8_t, double, x != 0)

enum {
#define DTYPE_INDEX(NAME, DTYPE, MEMORY, COMPUTE, FROM_FLOAT, FROM_INTEGER) INDEX_##NAME,
    DTYPES(DTYPE_INDEX)
};

const tn_dtype all_dtypes[DTYPE_COUNT] = {
#define DTYPE_VALUE(NAME, DTYPE, MEMORY, COMPUTE, FROM_FLOAT, FROM_INTEGER) DTYPE,
    DTYPES(DTYPE_VALUE)};

static const compute_type compute_types[DTYPE_COUNT] = {
#define DTYPE_COMPUTE(NAME, DTYPE, MEMORY, COMPUTE, FROM_FLOAT, FROM_INTEGER) COMPUTE_##COMPUTE,
    DTYPES(DTYPE_COMPUTE)};

static const tn_dtype compute_dtypes[COMPUTE_TYPE_COUNT] = {TN_F32, TN_F64, TN_I32, TN_I64, TN_U64};

/* Where a pair is not filled in, no function asks for it. */
static const convert_function loads[DTYPE_COUNT][COMPUTE_TYPE_COUNT] = {
    [INDEX_f16] = {[COMPUTE_F32] = convert_f16_f32, [COMPUTE_F64] = convert_f16_f64},
    [INDEX_bf16] = {[COMPUTE_F32] = convert_bf16_f32, [COMPUTE_F64] = convert_bf16_f64},
    [INDEX_f32] = {[COMPUTE_F64] = convert_f32_f64},
    [INDEX_i8] = {[COMPUTE_I32] = convert_i8_i32, [COMPUTE_F64] = convert_i8_f64},
    [INDEX_u8] = {[COMPUTE_I32] = convert_u8_i32, [COMPUTE_F64] = convert_u8_f64},
    [INDEX_i16] = {[COMPUTE_I32] = convert_i16_i32, [COMPUTE_F64] = convert_i16_f64},
    [INDEX_u16] = {[COMPUTE_I32] = convert_u16_i32, [COMPUTE_F64] = convert_u16_f64},
    [INDEX_i32] = {[COMPUTE_F64] = convert_i32_f64},
    [INDEX_u32] = {[COMPUTE_I64] = convert_u32_i64, [COMPUTE_F64] = convert_u32_f64},
    [INDEX_i64] = {[COMPUTE_F64] = convert_i64_f64},
    [INDEX_u64] = {[COMPUTE_F64] = convert_u64_f64},
    [INDEX_bool] = {[COMPUTE_I32] = convert_bool_i32,
                    [COMPUTE_I64] = convert_bool_i64,
                    [COMPUTE_F64] = convert_bool_f64},
};

static const convert_function stores[DTYPE_COUNT][COMPUTE_TYPE_COUNT] = {
#define DTYPE_STORES(NAME, DTYPE, MEMORY, COMPUTE, FROM_FLOAT, FROM_INTEGER)                       \
    [INDEX_##NAME] = {convert_f32_##NAME, convert_f64_##NAME, convert_i32_##NAME,                  \
                      convert_i64_##NAME, convert_u64_##NAME},
    DTYPES(DTYPE_STORES)};

static int dtype_index(tn_dtype dtype) {
    int index = 0;
    while (index < DTYPE_COUNT - 1 && all_dtypes[index] != dtype) {
        index++;
    }
    return index;
}

compute_type compute_type_of(tn_dtype dtype) {
    return compute_types[dtype_index(dtype)];
}

size_t compute_type_size(compute_type type) {
    return TN_DTYPE_SIZE(compute_dtypes[type]);
}

convert_function find_load(tn_dtype dtype, compute_type type) {
    return dtype == compute_dtypes[type] ? NULL : loads[dtype_index(dtype)][type];
}

convert_function find_store(compute_type type, tn_dtype dtype) {
    return dtype == compute_dtypes[type] ? NULL : stores[dtype_index(dtype)][type];
}

compute_value convert_constant(double value, tn_dtype dtype, compute_type type) {
    compute_value stored = {.u64 = 0};
    compute_value loaded = {.u64 = 0};
    stores[dtype_index(dtype)][COMPUTE_F64](&value, &stored, 1);
    const convert_function load = find_load(dtype, type);
    if (load == NULL) {
        return stored;
    }
    load(&stored, &loaded, 1);
    return loaded;
}
