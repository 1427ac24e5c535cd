/*
 * The memory of kernels' states.
 */
#ifndef OPS_NN_STATE_H
#define OPS_NN_STATE_H

#include <tenon/plugin.h>

/* `size` bytes, at least 1, that begin at a multiple of 64. */
tn_status state_allocate(const tn_prepare_call *call, uint64_t size, void **out_state);

/* The release function of kernels whose state is one allocation. */
void state_release(const tn_host *host, void *state);

#endif
