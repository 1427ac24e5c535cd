/* How a measured child tells its parent of its first result: one line on standard output. */
#ifndef TENON_BENCH_CHILD_H
#define TENON_BENCH_CHILD_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

typedef struct child_result {
    int64_t nanoseconds; /* on CLOCK_MONOTONIC, which all processes share */
} child_result;

static inline int child_report(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const child_result result = {(int64_t)now.tv_sec * 1000000000 + now.tv_nsec};
    return write(STDOUT_FILENO, &result, sizeof result) == (ssize_t)sizeof result;
}

#endif
