/*
 * Sizes of scratch memory, and how finely work is split. Extents come from models, so products of
 * them may not fit 64 bits: the largest number stands for "too large" and stays so.
 */
#ifndef OPS_NN_SIZE_H
#define OPS_NN_SIZE_H

#include <tenon/plugin.h>

#define SIZE_TOO_LARGE UINT64_MAX

static inline uint64_t size_multiply(uint64_t left, uint64_t right) {
    uint64_t product;
    const int known = left != SIZE_TOO_LARGE && right != SIZE_TOO_LARGE;
    return known && !__builtin_mul_overflow(left, right, &product) ? product : SIZE_TOO_LARGE;
}

static inline uint64_t size_add(uint64_t left, uint64_t right) {
    uint64_t sum;
    return __builtin_add_overflow(left, right, &sum) ? SIZE_TOO_LARGE : sum;
}

/* Appends a part of `size` bytes to scratch memory of `*total` bytes; every part begins at a
 * multiple of 64. Returns where. */
static inline uint64_t size_append(uint64_t *total, uint64_t size) {
    const uint64_t offset = *total;
    const uint64_t sum = size_add(offset, size_add(size, 63));
    *total = sum == SIZE_TOO_LARGE ? SIZE_TOO_LARGE : sum & ~(uint64_t)63;
    return offset;
}

/* Asks for scratch memory. */
static inline tn_status size_request(tn_prepare_call *call, uint64_t size) {
    if (size > INT64_MAX) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY,
                       "%s needs more scratch memory than can be addressed", call->op);
    }
    call->workspace_size = size;
    return TN_OK;
}

static inline int64_t divide_up(int64_t value, int64_t divisor) {
    return value / divisor + (value % divisor != 0);
}

static inline int64_t smaller(int64_t left, int64_t right) {
    return left < right ? left : right;
}

static inline int64_t larger(int64_t left, int64_t right) {
    return left > right ? left : right;
}

/* About 20 µs of work for one thread: vectorised multiplications, and elements that are loaded,
 * converted and stored one by one. */
#define GRAIN_PRODUCTS ((int64_t)1 << 19)
#define GRAIN_ELEMENTS ((int64_t)1 << 14)

/* How many units, each of `unit` steps, make a grain. */
static inline int64_t grain_of(int64_t grain, int64_t unit) {
    return larger(1, grain / larger(1, unit));
}

#endif
