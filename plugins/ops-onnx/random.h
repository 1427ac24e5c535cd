/*
 * Numbers at random: from an attribute's seed, or from the one that the host's user sets. There,
 * sources are numbered in the order in which kernels are prepared, so that each draws other
 * numbers, and the same ones for the same seed.
 */
#ifndef OPS_ONNX_RANDOM_H
#define OPS_ONNX_RANDOM_H

#include <tenon/plugin.h>

/* splitmix64: every state is a good one. */
typedef struct random_source {
    uint64_t state;
    uint64_t number;      /* among the sources that follow the host's seed */
    uint64_t turn;        /* of the host's seed that the state follows from */
    int32_t has_own_seed; /* the host's does not matter */
    int32_t has_begun;
} random_source;

/* init and fini of the plugin: what numbers the sources. */
tn_status random_init(tn_host *host);
void random_fini(tn_host *host);

/* prepare and release of kernels whose state is a source: it goes on from run to run. `seed` NaN:
 * it follows the host's. */
tn_status keep_random_source(tn_prepare_call *call, double seed);
void drop_random_source(const tn_host *host, void *state);

/* The kernel's source at the begin of a run: anew when the host has another seed. */
random_source *random_resume(const tn_run_call *call);

/* Below 1, and never below 0; multiples of 2^-53. */
double random_uniform(random_source *source);
/* Of mean 0 and deviation 1. */
double random_normal(random_source *source);

#endif
