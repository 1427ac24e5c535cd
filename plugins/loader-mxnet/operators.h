/* The operators of an extension library, and the records that the host is given of them. */
#ifndef LOADER_MXNET_OPERATORS_H
#define LOADER_MXNET_OPERATORS_H

#include "extension.h"
#include "live_state.h"

/* The operator's functions in the library; NULL where it has none. */
struct extension_op {
    struct extension *extension;
    const char *name;
    const char *backward_name; /* NULL: not differentiable by the library */
    int is_subgraph;
    extension_function forward, backward, create; /* for the CPU */
    extension_function parse, type, storage, shape, mutate;
    int has_other_contexts; /* it computes, but not on the CPU */

    tn_op op, backward_op;
    tn_kernel kernel, backward_kernel;
};

/* What the host parses the attributes of any such operator into. */
struct op_attributes {
    tn_options given;
};

/* Adds an entry for each operator of the library, its kernel and its gradient. */
tn_status operators_add(struct extension *extension);

/* Whether a hidden last output, or input of the gradient, has the number of the state. */
static inline uint32_t op_state_count(const struct extension_op *op) {
    return op->create != NULL ? 1 : 0;
}

/* Attributes as the library takes them. The texts stay the host's. */
tn_status op_options_create(const tn_host *host, const tn_options *given,
                            struct call_options *out_options);
/* The same with more behind them, whose texts stay the caller's. */
tn_status op_options_create_with(const tn_host *host, const tn_options *given,
                                 const tn_option *more, size_t more_count,
                                 struct call_options *out_options);
void op_options_destroy(const tn_host *host, struct call_options *options);

/* The numbers of inputs and outputs that the library counts, and of inputs beyond those, which only
 * computing sees. */
struct op_counts {
    uint32_t inputs, outputs, extra_inputs;
};
tn_status op_count(const struct extension_op *op, const tn_host *host,
                   const struct call_options *options, struct op_counts *out_counts);
tn_status op_count_extra(const struct extension_op *op, const tn_host *host,
                         const struct call_options *options, uint32_t *out_count);

tn_status op_count_backward(const struct extension_op *op, const tn_host *host,
                            const struct call_options *options, uint32_t total,
                            struct op_counts *out_counts);

/* Of the gradient of a node that stands for a subgraph: how many inputs that has. */
#define OP_SUBGRAPH_INPUTS "subgraph_inputs"

/* The state of a node that is prepared; it must be destroyed. */
tn_status op_create_state(const struct extension_op *op, const tn_prepare_call *call,
                          const struct call_tensors *inputs, struct live_state **out_state);

/* arity.c, inference.c, gradient.c, compute.c */
tn_status op_arity(tn_arity_call *call);
tn_status op_subgraph_arity(tn_arity_call *call);
tn_status op_subgraph_infer(tn_infer_call *call);
tn_status op_infer(tn_infer_call *call);
tn_status op_gradient(tn_gradient_call *call);
tn_status op_backward_arity(tn_arity_call *call);
tn_status op_backward_infer(tn_infer_call *call);
int32_t op_supports(const tn_kernel_query *query);
tn_status op_prepare(tn_prepare_call *call);
tn_status op_run(const tn_run_call *call);
void op_release(const tn_host *host, void *state);

#endif
