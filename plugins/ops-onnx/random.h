/* Numbers at random, the same ones for the same seed. */
#ifndef OPS_ONNX_RANDOM_H
#define OPS_ONNX_RANDOM_H

#include <tenon/plugin.h>

/* splitmix64: every state is a good one. */
typedef struct random_source {
    uint64_t state;
} random_source;

/* `seed` NaN: another source each time. */
random_source random_begin(double seed);

/* Below 1, and never below 0; multiples of 2^-53. */
double random_uniform(random_source *source);
/* Of mean 0 and deviation 1. */
double random_normal(random_source *source);

/* prepare and release of kernels whose state is a source: it goes on from run to run. */
tn_status keep_random_source(tn_prepare_call *call, double seed);
void drop_random_source(const tn_host *host, void *state);

#endif
