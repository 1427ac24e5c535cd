/*
 * Kind "pass", version 1: a change of a whole graph that leaves what it computes as it was. The
 * entry's name is what the user writes: `--pass fold-constants:limit=4096`.
 *
 * A pass is a transaction. It works on a copy through the `graph` service (host.h: walk, match,
 * add, replace, remove, parameters); the host then checks the copy (structure, inference, the
 * outputs' count, names and types, no input more than before) and takes it, or leaves the graph as
 * it was.
 */
#ifndef TENON_PLUGIN_PASS_H
#define TENON_PLUGIN_PASS_H

#include <tenon/plugin/attribute.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

typedef struct tn_pass tn_pass;

typedef struct tn_pass_call {
    uint32_t struct_size;
    uint32_t reserved;
    const tn_host *host;
    const void *options; /* the parsed struct */
    /* To be changed. What is known of types when the pass begins is asked for with value_type. */
    tn_graph *graph;
    const tn_pass *pass;
} tn_pass_call;

/* What it makes may be something else: outputs may have other types afterwards, and more may follow
 * them. Those that were there keep their places and names all the same. */
#define TN_PASS_CHANGES_OUTPUTS 1u

struct tn_pass {
    uint32_t struct_size;
    uint32_t flags;  /* TN_PASS_… */
    const char *doc; /* what it does to a graph; the first sentence stands in lists */

    const tn_attribute *options;
    uint32_t option_count;
    uint32_t option_stride; /* TN_ATTRIBUTE_STRIDE */
    uint64_t options_size;  /* sizeof the struct that the host fills in; 0 with no options */

    /* [any] Required. A failure leaves the graph as it was, whatever was done to the copy. */
    tn_status (*run)(tn_pass_call *call);

    /* The plugin's own: functions that serve several passes find it through `pass` of the call. */
    const void *context;
};

#define TN_PASS_VERSION 1u
#define TN_PASS_SIZE TN_STRUCT_END(tn_pass, context)
#define TN_ENTRY_PASS(NAME, IMPL)                                                                  \
    { TN_KIND_PASS, NAME, TN_PASS_VERSION, 0, IMPL }

#endif
