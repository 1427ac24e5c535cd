/*
 * The states of stateful operators. Forward makes one and hands its number on as a hidden output,
 * by which backward finds it: a number that came from elsewhere finds nothing.
 */
#ifndef LOADER_MXNET_LIVE_STATE_H
#define LOADER_MXNET_LIVE_STATE_H

#include "extension.h"

struct live_state {
    void *object;         /* the library's */
    pthread_mutex_t lock; /* held while it computes */
    int64_t number;
};

tn_status live_state_create(struct extension *extension, const tn_host *host, const char *what,
                            const struct call_create *create, struct live_state **out_state);
void live_state_destroy(struct extension *extension, const tn_host *host, struct live_state *state);

/* NULL when there is none. Otherwise its lock is held. */
struct live_state *live_state_lock(struct extension *extension, int64_t number);
void live_state_unlock(struct live_state *state);

void live_states_finish(struct extension *extension);

#endif
