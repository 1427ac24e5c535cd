#include "random.h"

#include <math.h>
#include <time.h>

#define TWO_PI 6.28318530717958647693

static uint64_t next(random_source *source) {
    uint64_t x = source->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

random_source random_begin(double seed) {
    random_source source = {0};
    if (seed == seed) {
        memcpy(&source.state, &seed, sizeof seed);
        return source;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    source.state = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    source.state ^= (uint64_t)(uintptr_t)&now << 20;
    return source;
}

double random_uniform(random_source *source) {
    return (double)(next(source) >> 11) * 0x1p-53;
}

double random_normal(random_source *source) {
    const double radius = sqrt(-2 * log(1 - random_uniform(source)));
    return radius * cos(TWO_PI * random_uniform(source));
}

tn_status keep_random_source(tn_prepare_call *call, double seed) {
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    random_source *source = memory->allocate(call->host, sizeof *source);
    if (source == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the kernel's state");
    }
    *source = random_begin(seed);
    call->state = source;
    return TN_OK;
}

void drop_random_source(const tn_host *host, void *state) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    memory->free(host, state);
}
