/*
 * How loops over 8-bit integers share out their work: lanes, which run at the same time, each with
 * memory of its own.
 */
#ifndef OPS_ONNX_INTEGER_LANES_H
#define OPS_ONNX_INTEGER_LANES_H

#include <tenon/plugin.h>

TN_INLINE_ int64_t divide_up(int64_t count, int64_t size) {
    return count / size + (count % size != 0);
}

TN_INLINE_ int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

TN_INLINE_ int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Memory begins at multiples of a cache line. */
TN_INLINE_ uint64_t round_up(uint64_t size) {
    return (size + 63) / 64 * 64;
}

/* How many lanes are worth it for `cost` multiplications: up to two for each thread, so that one
 * that is held up can be helped out. */
TN_INLINE_ int64_t lanes_wanted(const tn_host *host, double cost) {
    const tn_parallel_service *parallel = TN_SERVICE(host, parallel);
    const int64_t threads = parallel == NULL ? 1 : parallel->thread_count(host);
    const double worth = cost / 200000;
    if (threads < 2 || worth < 2) {
        return 1;
    }
    return worth < 2.0 * (double)threads ? (int64_t)worth : 2 * threads;
}

#endif
