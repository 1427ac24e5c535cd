/*
 * The states of this plugin's kernels: plain structs without pointers to anything that is theirs,
 * computed in prepare and copied into memory of the host's.
 */
#ifndef OPS_MATH_STATE_H
#define OPS_MATH_STATE_H

#include <tenon/plugin.h>

tn_status keep_state(tn_prepare_call *call, const void *state, size_t size);

/* tn_kernel.release of every kernel that keeps a state. */
void release_state(const tn_host *host, void *state);

#endif
