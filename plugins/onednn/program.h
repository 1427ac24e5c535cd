/*
 * A program: what a prepared node does. A list of items that may run at the same time, each the
 * execution of a primitive on parts of the node's tensors; and memory of its own for packed
 * weights. A primitive can serve several items.
 */
#ifndef ONEDNN_PROGRAM_H
#define ONEDNN_PROGRAM_H

#include "onednn.h"

#define PROGRAM_MAX_ARGUMENTS 6
#define PROGRAM_MAX_PRIMITIVES 64

/* Whose memory an argument of a primitive is. */
enum {
    ARGUMENT_INPUT,
    ARGUMENT_OUTPUT,
    ARGUMENT_OWN, /* the program's */
    ARGUMENT_SCRATCHPAD,
    ARGUMENT_TARGET /* the item's own, for who runs the program to take */
};

typedef struct program_argument {
    int32_t owner;
    uint32_t index; /* of the input or output */
    int64_t offset; /* bytes from its first element */
    /* How many elements of four bytes the primitive reads or writes in the item's own memory, from
     * a byte on: those of float16 inputs and outputs, as floats, and a target. 0: it takes the
     * node's memory as it is. */
    int64_t own_count;
    uint64_t own_place;
} program_argument;

typedef struct program_item {
    dnnl_primitive_t primitive;
    int32_t argument_count;
    uint64_t own_size; /* bytes of its own memory, a multiple of 64 */
    program_argument arguments[PROGRAM_MAX_ARGUMENTS];
    dnnl_exec_arg_t handed[PROGRAM_MAX_ARGUMENTS];
} program_item;

typedef struct program {
    uint32_t item_count, primitive_count;
    dnnl_primitive_t primitives[PROGRAM_MAX_PRIMITIVES];
    uint64_t scratchpad_size; /* of one item, a multiple of 64; behind it is its own memory */
    uint64_t item_size;       /* both */
    /* Weights in the layout that the primitives want, and how they get there. */
    dnnl_memory_t packed, unpacked;
    dnnl_primitive_t packing;
    void *packed_data;
    uint32_t packed_input;
    int32_t packs_each_run; /* the weights are not a constant */
    program_item items[];
} program;

/* Makes the state of the kernel; on failure of what follows, program_destroy it. */
tn_status program_create(tn_prepare_call *call, uint32_t item_count, program **out_program);
void program_destroy(const tn_host *host, program *made);

/* Makes a primitive that the program owns. */
tn_status program_add_primitive(const tn_host *host, program *made,
                                const_dnnl_primitive_desc_t descriptor,
                                dnnl_primitive_t *out_primitive);

/* Adds an argument to an item. */
tn_status program_add_argument(const tn_host *host, program_item *item, int id,
                               const dnnl_memory_desc_t *descriptor, program_argument argument);

/* Hands the packed weights to an item. */
void program_add_packed(const program *made, program_item *item, int id);

/* Gives the program memory for input `input` in the layout `packed`, and fills it when the input is
 * a constant. `plain` describes the input as it is. */
tn_status program_pack(tn_prepare_call *call, program *made, uint32_t input,
                       const dnnl_memory_desc_t *plain, const dnnl_memory_desc_t *packed);

/* Ends the preparation: asks for the scratchpads. */
void program_finish(tn_prepare_call *call, program *made);

/* Runs the items, on several threads, and `after` (may be NULL) behind each. */
typedef void program_after(const tn_run_call *call, const program *made, uint32_t item,
                           const void *context);
tn_status program_run_items(const tn_run_call *call, program *made, program_after *after,
                            const void *context);

/* The memory that an item's argument is in a run. */
void *program_item_memory(const tn_run_call *call, const program *made, uint32_t item, int id);

/* The functions of the kernels. */
tn_status program_run(const tn_run_call *call);
void program_release(const tn_host *host, void *state);

/* How many threads items can use. */
uint32_t program_thread_count(const tn_host *host);

#endif
