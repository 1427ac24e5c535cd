/* Measuring: a body is run in batches for a while; the figure is nanoseconds a call. */
#ifndef TENON_BENCH_BENCH_H
#define TENON_BENCH_BENCH_H

#include <tenon/tenon.h>

typedef struct bench_figure {
    double minimum, median; /* nanoseconds a call */
} bench_figure;

/* Runs body(context) for about a quarter of a second. */
bench_figure bench_measure(void (*body)(void *context), void *context);

/* Prints a line: what, minimum and median divided by `per`, and the aim ("" for none). */
void bench_print(const char *what, bench_figure figure, double per, const char *unit,
                 const char *aim);

/* Ends the program with the library's error text when the status is a failure. */
void bench_check(tn_status status, const char *what);

double bench_seconds(void);

#endif
