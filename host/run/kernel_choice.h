/* Which kernel computes a node. */
#ifndef TENON_RUN_KERNEL_CHOICE_H
#define TENON_RUN_KERNEL_CHOICE_H

#include <tenon/plugin/kernel.h>

#include "device/device.h"
#include "graph/graph.h"
#include "run/tuning.h"

typedef struct tni_kernel_choice {
    const tni_entry *entry;
    const void *attributes; /* as the kernel sees them; lives in the arena or with the node */
    tni_tuned tuned;
} tni_kernel_choice;

/* What kernels are told of a node's inputs, by input. */
typedef struct tni_kernel_inputs {
    tn_tensor_type *types;  /* unknown for an absent input */
    const tn_view **values; /* as tn_kernel_query.input_values */
} tni_kernel_inputs;

/* Looks up the inputs in a graph with inferred types; the arrays are the arena's. */
tn_status tni_kernel_inputs_of(const tn_graph *graph, const tni_node *node, tni_arena *arena,
                               tni_kernel_inputs *out_inputs);

/* The best kernel for the node on a device: what the tuning (may be NULL) says, or the one of the
 * highest rank: the highest score, then the highest priority, then the first one loaded.
 * UNSUPPORTED says what types were asked for and which kernels there are. */
tn_status tni_kernel_choose(const tn_device *device, const tni_node *node,
                            const tni_kernel_inputs *inputs, const tn_tensor_type *outputs,
                            const tn_tuning *tuning, tni_arena *arena,
                            tni_kernel_choice *out_choice);

/* Whether the operator reads input `index` only when training. */
bool tni_is_training_input(const tn_op *op, uint32_t index);

#endif
