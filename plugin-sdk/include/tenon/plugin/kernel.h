/*
 * Kind "kernel", version 1: a way to compute an operator on one target. Many kernels may serve one
 * operator; the host asks each what it supports and takes the best. A kernel's life for one node
 * with fixed types is supports → prepare → run, run, run … → release.
 *
 * A target names the code that a device can run: "cpu" (the kernel is C, its views are ordinary
 * memory) or "spirv" (the kernel carries SPIR-V and asks the `dispatch` service to launch it; it
 * does not know which backend is there).
 */
#ifndef TENON_PLUGIN_KERNEL_H
#define TENON_PLUGIN_KERNEL_H

#include <tenon/plugin/attribute.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

typedef struct tn_kernel tn_kernel;

/* Can the kernel compute this node? */
typedef struct tn_kernel_query {
    uint32_t struct_size;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t reserved;
    const tn_host *host;
    const char *op; /* the operator's name, for kernels that serve several */
    const void *attributes;
    const tn_tensor_type *inputs; /* complete; an absent input has dtype 0 */
    const tn_tensor_type *outputs;
    tn_device *device; /* the one that asks; its limits are the `dispatch` service's to tell */
    const tn_kernel *kernel;
    /* By input: its elements, in host memory, where they are known before any run (a constant, a
     * shape that was computed ahead), whatever device the node runs on. A NULL pointer: they are
     * not. Borrowed for the call. */
    const tn_view *const *input_values;
} tn_kernel_query;

/* Everything that can be done ahead of the runs. */
typedef struct tn_prepare_call {
    uint32_t struct_size;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t subgraph_count;
    const tn_host *host;
    const char *op;
    const void *attributes; /* lives until release */
    /* Types are final; an output that the kernel gives is a NULL pointer. `data` of an input is set
     * when it is a constant and NULL otherwise; an absent input is a NULL pointer. */
    const tn_view *const *inputs;
    const tn_view *const *outputs;
    tn_device *device;
    uint64_t workspace_size; /* out; on entry 0. Scratch memory for one run, 64-byte aligned. */
    void *state;             /* out; on entry NULL. The kernel's own; given back to release. */
    const tn_kernel *kernel;
    /* The node's subgraphs, with final types, to be compiled: they are looked at through the
     * `graph` service, and live until release. */
    const tn_graph *const *subgraphs;
    /* As inferred; of an output whose view is a NULL pointer (see give_output) what is known. */
    const tn_tensor_type *output_types;
    const uint32_t *input_storages; /* TN_STORAGE_…; dense for an absent input */
    const uint32_t *output_storages;
    const tn_view *const *input_values; /* as tn_kernel_query has them */
} tn_prepare_call;

typedef struct tn_run_call tn_run_call;

/* One run. The host makes this struct once and hands it in unchanged but for the memory behind the
 * views: a kernel keeps no pointer of it beyond the call. */
struct tn_run_call {
    uint32_t struct_size;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t subgraph_count;
    const tn_host *host;
    const void *attributes;
    const tn_view *const *inputs; /* row-major unless `layouts` said otherwise; an absent input is a
                                     NULL pointer */
    const tn_view *const *outputs; /* see give_output */
    void *state;
    void *workspace; /* host memory, or the device's buffer handle; see workspace_offset */
    uint64_t workspace_offset;
    tn_stream *stream;             /* of the device the node runs on; NULL on the CPU */
    tn_subgraph_runner *subgraphs; /* for the graph service's run_subgraph; NULL without any */
    /* For operators with TN_OP_DATA_DEPENDENT: outputs[i] is a NULL pointer where its extents could
     * not be known ahead. The kernel makes a tensor of the inferred dtype in host memory and gives
     * it here; the host takes a count of its own. Every such output is given once a run. */
    tn_status (*give_output)(const tn_run_call *call, uint32_t output, tn_tensor *tensor);
    const uint32_t *input_storages;
    const uint32_t *output_storages;
};

/* Output `output` may be given the memory of input `input`. */
typedef struct tn_in_place {
    uint32_t input;
    uint32_t output;
} tn_in_place;

/* The kernel only copies input 0's bytes to output 0 (a reshape, an identity). The host may give
 * both the same memory and leave out the run. */
#define TN_KERNEL_COPIES_INPUT 1u
/* The kernel computes its node's subgraphs by itself and never calls run_subgraph: the host makes
 * no plans for them, and need not have kernels for what is in them. */
#define TN_KERNEL_COMPILES_SUBGRAPHS 2u
/* The kernel knows elements by their size alone: with `dtypes` NULL it serves TN_STRING and
 * TN_SEQUENCE too, as one that copies its input does. */
#define TN_KERNEL_MOVES_ELEMENTS 4u

/* `supports`, which must be there, looks at the storages too. A kernel without this flag is given
 * dense tensors alone. Where no kernel takes a node's storages the host puts conversions around it
 * [TN-REQ-110]. See sparse.h for what a kernel does with sparse tensors. */
#define TN_KERNEL_SPARSE 8u

struct tn_kernel {
    uint32_t struct_size;
    uint32_t flags;         /* TN_KERNEL_… */
    const char *op;         /* the operator it computes */
    const char *target;     /* "cpu", "spirv" */
    const tn_dtype *dtypes; /* NULL: any of numbers. Otherwise every input and output has one of
                               these. */
    uint32_t dtype_count;
    int32_t priority; /* among kernels of one score the highest wins; plain C reference kernels
                         have 0, tuned ones 100, a vendor's library 200 */
    const tn_in_place *in_place;
    uint32_t in_place_count;
    uint32_t reserved;

    /* [any] NULL: every node whose dtypes fit, with score 1. Returns 0 for "no"; otherwise the
     * higher score wins, before priority. Usual is 1. */
    int32_t (*supports)(const tn_kernel_query *query);

    /* [any] NULL: nothing to prepare. On failure it has undone what it did; release is not called.
     * UNSUPPORTED on a device other than the CPU gives the node to a kernel of the CPU. */
    tn_status (*prepare)(tn_prepare_call *call);

    /* [worker] Required. One caller a state at a time. The hot path: allocates nothing, parses
     * nothing, takes no lock [TN-REQ-031]. Writes every byte of every output [TN-REQ-032] and
     * nothing else except inputs that the operator mutates [TN-REQ-033]. */
    tn_status (*run)(const tn_run_call *call);

    /* [any] Required when prepare sets a state. */
    void (*release)(const tn_host *host, void *state);

    /* NULL: `attributes` of the calls above is the operator's own struct, which only the operator's
     * plugin knows. A kernel in another plugin gives a table of its own: the host parses the node's
     * attributes by it, those that the table does not name are left out, and one that the node does
     * not give has the operator's default. */
    const tn_attribute *attributes;
    uint32_t attribute_count;
    uint32_t attribute_stride;
    uint64_t attributes_size;

    /* [any] NULL: every input and output is row-major. Otherwise it is asked once a plan: `inputs`
     * comes with the layout (TN_LAYOUT_…) that each input has now and leaves with the one that the
     * kernel wants, `outputs` comes as row-major and leaves with what the kernel will give. The
     * host puts a `reorder` where what is there is not what is wanted. A layout is asked for only
     * where it differs in memory: a view of a channels-last value whose rank is below 3, or which
     * has but one channel or one place, is row-major and has no strides. */
    void (*layouts)(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs);

    /* The plugin's own: functions that serve several kernels find it through `kernel` of the call.
     */
    const void *context;
};

#define TN_KERNEL_VERSION 1u
#define TN_KERNEL_SIZE TN_STRUCT_END(tn_kernel, context)
#define TN_ENTRY_KERNEL(NAME, IMPL)                                                                \
    { TN_KIND_KERNEL, NAME, TN_KERNEL_VERSION, 0, IMPL }

#endif
