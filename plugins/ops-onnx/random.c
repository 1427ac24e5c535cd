#include "random.h"

#include <math.h>
#include <stdatomic.h>

#define TWO_PI 6.28318530717958647693

enum { COUNT_BITS = 32 };

/* Of one runtime: the low bits of the turn in force, and how many sources were numbered in it. */
typedef struct source_numbers {
    atomic_uint_fast64_t turn_and_count;
} source_numbers;

tn_status random_init(tn_host *host) {
    source_numbers *numbers = TN_SERVICE(host, memory)->allocate(host, sizeof *numbers);
    if (numbers == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the numbers of random sources");
    }
    atomic_init(&numbers->turn_and_count, 0);
    host->plugin_state = numbers;
    return TN_OK;
}

void random_fini(tn_host *host) {
    TN_SERVICE(host, memory)->free(host, host->plugin_state);
}

static uint64_t seed_of(const tn_host *host, uint64_t *out_turn) {
    const tn_random_service *random = TN_SERVICE(host, random);
    return random->seed(host, out_turn);
}

/* Counts from 0 in each turn: whoever sets a seed and prepares the same kernels gets the same. */
static uint64_t next_number(const tn_host *host) {
    source_numbers *numbers = host->plugin_state;
    uint64_t turn;
    seed_of(host, &turn);
    turn <<= COUNT_BITS;
    uint_fast64_t last = atomic_load(&numbers->turn_and_count), next;
    do {
        next = last >> COUNT_BITS == turn >> COUNT_BITS ? last + 1 : turn | 1;
    } while (!atomic_compare_exchange_weak(&numbers->turn_and_count, &last, next));
    return (next & UINT32_MAX) - 1;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t next(random_source *source) {
    return mix(source->state += 0x9e3779b97f4a7c15u);
}

tn_status keep_random_source(tn_prepare_call *call, double seed) {
    random_source *source = TN_SERVICE(call->host, memory)->allocate(call->host, sizeof *source);
    if (source == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the kernel's state");
    }
    *source = (random_source){.has_own_seed = seed == seed};
    if (source->has_own_seed) {
        memcpy(&source->state, &seed, sizeof seed);
    } else {
        source->number = next_number(call->host);
    }
    call->state = source;
    return TN_OK;
}

void drop_random_source(const tn_host *host, void *state) {
    TN_SERVICE(host, memory)->free(host, state);
}

random_source *random_resume(const tn_run_call *call) {
    random_source *source = call->state;
    if (!source->has_own_seed) {
        uint64_t turn;
        const uint64_t seed = seed_of(call->host, &turn);
        if (!source->has_begun || source->turn != turn) {
            source->state = mix(seed) ^ mix(~source->number);
            source->turn = turn;
            source->has_begun = 1;
        }
    }
    return source;
}

double random_uniform(random_source *source) {
    return (double)(next(source) >> 11) * 0x1p-53;
}

double random_normal(random_source *source) {
    const double radius = sqrt(-2 * log(1 - random_uniform(source)));
    return radius * cos(TWO_PI * random_uniform(source));
}
