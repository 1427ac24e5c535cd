/* What every pass works with: the services, and the changes that several passes make. */
#ifndef PASSES_WORK_H
#define PASSES_WORK_H

#include <tenon/plugin.h>

typedef struct pass_work {
    const tn_host *host;
    const tn_graph_service *graphs;
    const tn_tensor_service *tensors;
    tn_graph *graph;
} pass_work;

void work_begin(pass_work *work, const tn_pass_call *call);

/* The nodes in the order of running as it is now, to be freed with tn_free; changes of the graph
 * leave it as it is. */
tn_status work_order(const pass_work *work, uint32_t **out_order, uint32_t *out_count);

/* Visits the nodes in the order of running as it is at the start, with `context`; those that are
 * gone by then, too. Ends at the first failure, which it returns. */
typedef tn_status work_visitor(const pass_work *work, uint32_t number, const void *context);
tn_status work_visit_nodes(const tn_pass_call *call, work_visitor *visit, const void *context);

/* Describes a node; returns 0 when it is not there any more. */
int work_node(const pass_work *work, uint32_t number, tn_node_info *out_info);

/* Whether the node's operator is one of `names`, which ends with NULL. */
int node_is(const tn_node_info *info, const char *const *names);

/* The text of an attribute, or `otherwise`. */
const char *node_attribute(const tn_node_info *info, const char *name, const char *otherwise);

/* "True", "true", "1" */
int text_is_true(const char *text);

/* Numbers out of "(0, 2, 1)"; how many, or -1 for what is no such list of at most `most`. */
int32_t read_integers(const char *text, int64_t *out, int32_t most);

/* Whether a word is among those that blanks, commas or + separate. */
int has_word(const char *words, const char *word);

/* Whether a run of the node leaves no trace but its outputs, and the same inputs give the same
 * outputs: it may be merged, moved or computed ahead of time. */
int node_is_pure(const pass_work *work, uint32_t number, const tn_node_info *info);

/* What is known of a value; a type with nothing known when that is nothing. */
tn_tensor_type work_type(const pass_work *work, tn_value value);

/* The tensor of a variable when it is dense and lies in host memory; else NULL. */
tn_tensor *work_host_tensor(const pass_work *work, tn_value value);

/* The same when it is a parameter, which no run changes. */
tn_tensor *work_constant(const pass_work *work, tn_value value);

/* How many uses there are in all, and whether the graph has the node for an output. */
typedef struct use_facts {
    uint32_t count;
    int is_output;
    int is_control;
    uint32_t highest_output; /* of those that are used */
} use_facts;

tn_status work_uses(const pass_work *work, uint32_t number, use_facts *out_facts);

/* Makes all that reads output 0 of `number` read `value`, and removes the node. Where the graph has
 * the node for an output, `value`'s node takes its name, so that the output keeps its own; if it
 * cannot, nothing is done and *out_done is 0. */
tn_status work_forward(const pass_work *work, uint32_t number, tn_value value, int *out_done);

/* Gives the node the name of the one that its first input is, which gets another: for a node that
 * was put between an output and the graph. */
tn_status work_take_name(const pass_work *work, uint32_t number);

/* Removes the node if nothing uses it. */
tn_status work_remove_unused(const pass_work *work, uint32_t number);

/* A parameter named "<stem>_<ending>", or with a number behind when that is taken. */
tn_status work_add_parameter(const pass_work *work, const char *stem, const char *ending,
                             tn_tensor *tensor, tn_value *out_value);

#endif
