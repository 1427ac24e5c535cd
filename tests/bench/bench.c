#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 25 };

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double time_calls(void (*body)(void *context), void *context, long count) {
    const double start = bench_seconds();
    for (long i = 0; i < count; i++) {
        body(context);
    }
    return (bench_seconds() - start) * 1e9 / (double)count;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

bench_figure bench_measure(void (*body)(void *context), void *context) {
    long count = 1;
    double once = time_calls(body, context, 1);
    while (once * (double)count < 1e6 && count < 100000000) { /* about 1 ms to know the speed */
        count *= 2;
        once = time_calls(body, context, count);
    }
    const long batch = once > 1e7 ? 1 : (long)(1e7 / once);
    double figures[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        figures[i] = time_calls(body, context, batch);
    }
    qsort(figures, BATCHES, sizeof *figures, compare);
    return (bench_figure){figures[0], figures[BATCHES / 2]};
}

void bench_print(const char *what, bench_figure figure, double per, const char *unit,
                 const char *aim) {
    printf("%-58s minimum %9.2f  median %9.2f %s%s%s\n", what, figure.minimum / per,
           figure.median / per, unit, aim[0] != '\0' ? "  aim " : "", aim);
}

void bench_check(tn_status status, const char *what) {
    if (status != TN_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, tn_error_message());
        exit(1);
    }
}
