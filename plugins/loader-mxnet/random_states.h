/*
 * The random states that operators are given: blocks of 1024 Mersenne Twisters, laid out as
 * std::mt19937 of libstdc++ on this machine. A block serves one call at a time, and begins anew
 * when the user sets a seed.
 */
#ifndef LOADER_MXNET_RANDOM_STATES_H
#define LOADER_MXNET_RANDOM_STATES_H

#include <tenon/plugin/host.h>

struct random_states;

tn_status random_states_create(const tn_host *host, struct random_states **out_states);
void random_states_destroy(const tn_host *host, struct random_states *states);

/* Makes sure that there is a block, so that the first run need not make it. */
tn_status random_states_prepare(const tn_host *host, struct random_states *states);

/* A block that no other call has; calls that follow one another get the same. NULL when there is
 * no memory for one more. */
void *random_states_take(const tn_host *host, struct random_states *states);
void random_states_give_back(struct random_states *states, const void *block);

#endif
