/*
 * Kernels that only move elements. An operator's prepare fills in a list of moves, each a strided
 * copy from an input to an output; running and releasing the list is the same for all of them.
 */
#ifndef OPS_SHAPE_MOVER_H
#define OPS_SHAPE_MOVER_H

#include "strided_copy.h"

/* As a move's input: the output itself, as the moves before left it. */
#define MOVE_WITHIN_OUTPUT UINT32_MAX

typedef struct move {
    uint32_t input;
    uint32_t output;
    strided_copy copy;
} move;

typedef struct move_list {
    uint32_t count;
    uint32_t fill_size;    /* bytes of `fill`; 0: the moves write every element */
    unsigned char fill[8]; /* the element that output 0 is filled with first */
    move moves[];
} move_list;

/* Makes the list of `count` moves that becomes the kernel's state, or fails. Each move begins with
 * the element size of output 0 and no axes. */
tn_status move_list_create(tn_prepare_call *call, uint32_t count, move_list **out_list);

/* The kernel's functions. */
tn_status move_list_run(const tn_run_call *call);
void move_list_release(const tn_host *host, void *state);

/* The run of kernels that copy input 0 to output 0 as it is. */
tn_status copy_input_run(const tn_run_call *call);

/* The strides of a view in elements: its own, or row-major ones. */
void view_strides(const tn_view *view, int64_t strides[TN_MAX_RANK]);

#endif
