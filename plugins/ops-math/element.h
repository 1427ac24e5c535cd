/*
 * Elements: how they lie in memory, and what functions compute with.
 *
 * A dtype says how an element lies in memory. A compute type is what the inner loops work on: few
 * enough to write every function for each of them, wide enough that every dtype fits into one
 * (16-bit floats into f32, narrow integers into i32, u32 into i64). Storing an integer result into
 * a narrower dtype keeps its low bits, which is what arithmetic in the narrow type itself gives.
 */
#ifndef OPS_MATH_ELEMENT_H
#define OPS_MATH_ELEMENT_H

#include <tenon/plugin.h>

typedef enum compute_type {
    COMPUTE_F32,
    COMPUTE_F64,
    COMPUTE_I32,
    COMPUTE_I64,
    COMPUTE_U64
} compute_type;

#define COMPUTE_TYPE_COUNT 5

typedef union compute_value {
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
    uint64_t u64;
} compute_value;

/* Elements that are converted, computed with and converted back at a time: they stay in the
 * innermost cache. */
#define BLOCK_LENGTH 512

typedef union compute_block {
    float f32[BLOCK_LENGTH];
    double f64[BLOCK_LENGTH];
    int32_t i32[BLOCK_LENGTH];
    int64_t i64[BLOCK_LENGTH];
    uint64_t u64[BLOCK_LENGTH];
} compute_block;

/* Converts `count` elements. Source and target are different memory. */
typedef void (*convert_function)(const void *source, void *target, int64_t count);

/* The dtypes that the kernels of this plugin serve: every one of the contract. */
#define DTYPE_COUNT 13
extern const tn_dtype all_dtypes[DTYPE_COUNT];

/* The narrowest compute type that holds all values of `dtype`. */
compute_type compute_type_of(tn_dtype dtype);

size_t compute_type_size(compute_type type);

/* Memory to compute type. `type` is compute_type_of(dtype) or f64, or i64 for bool. NULL: the
 * memory holds the compute type already. */
convert_function find_load(tn_dtype dtype, compute_type type);

/* Compute type to memory, for any pair. NULL as above.
 *
 * A float becomes an integer by truncation to int32 (for int8, uint8, int16, uint16 and int32) or
 * int64 (for the others), of which the low bits are kept. NaN and what is beyond that range give
 * the lowest int32 or int64. This is what x86-64 does for MXNet, made the rule on every machine. */
convert_function find_store(compute_type type, tn_dtype dtype);

/* `value` rounded to `dtype`, as the compute type holds it. */
compute_value convert_constant(double value, tn_dtype dtype, compute_type type);

TN_INLINE_ int is_floating(tn_dtype dtype) {
    return dtype == TN_F16 || dtype == TN_BF16 || dtype == TN_F32 || dtype == TN_F64;
}

TN_INLINE_ int64_t smaller(int64_t left, int64_t right) {
    return left < right ? left : right;
}

/* The libm function of a floating compute type: MATH_F32(sqrt) is sqrtf. */
#define MATH_F32(NAME) NAME##f
#define MATH_F64(NAME) NAME

/* In front of a loop over elements whose iterations are independent. The compiler cannot see that
 * an output either is an input's memory or does not touch it. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* loops that call libm are not vectorised */
#define INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define INDEPENDENT_ITERATIONS
#endif

#endif
