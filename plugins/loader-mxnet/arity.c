/* How many inputs and outputs a node has. */
#include "operators.h"

#include <stdlib.h>

enum { MAX_TENSORS = 65535 };

#define EXTRA_INPUTS "__ext_extra_inputs__"

/* The number that an attribute says; `out_count` is left where there is none. */
static tn_status read_count(const tn_host *host, const struct call_options *options,
                            const char *name, uint32_t *out_count) {
    for (int i = 0; i < options->count; i++) {
        if (strcmp(options->keys[i], name) == 0) {
            char *end;
            const long count = strtol(options->values[i], &end, 10);
            if (*end != '\0' || end == options->values[i] || count < 0 || count > MAX_TENSORS) {
                return tn_fail(host, TN_INVALID_ARGUMENT, "attribute %s=%.40s: expected a number",
                               name, options->values[i]);
            }
            *out_count = (uint32_t)count;
        }
    }
    return TN_OK;
}

/* Inputs that the library is not asked about: the last of a node that has this attribute. */
tn_status op_count_extra(const struct extension_op *op, const tn_host *host,
                         const struct call_options *options, uint32_t *out_count) {
    *out_count = 0;
    return op->extension->version >= 8 ? read_count(host, options, EXTRA_INPUTS, out_count) : TN_OK;
}

tn_status op_count(const struct extension_op *op, const tn_host *host,
                   const struct call_options *options, struct op_counts *out_counts) {
    struct call_words words;
    int inputs = -1, outputs = -1;
    const int result =
        call_parse(&op->extension->exports, op->parse, options, &inputs, &outputs, &words);
    if (result != EXTENSION_SUCCEEDED) {
        return extension_failed(op->extension, host, TN_INVALID_ARGUMENT, "parseAttrs", result,
                                &words);
    }
    if (inputs < 0 || inputs > MAX_TENSORS || outputs < 1 || outputs > MAX_TENSORS) {
        return extension_is_wrong(op->extension, host, "parseAttrs",
                                  "it gave %d inputs and %d outputs", inputs, outputs);
    }
    out_counts->inputs = (uint32_t)inputs;
    out_counts->outputs = (uint32_t)outputs;
    return op_count_extra(op, host, options, &out_counts->extra_inputs);
}

static tn_status find_mutated(const struct extension_op *op, tn_arity_call *call,
                              const struct call_options *options, uint32_t input_count) {
    struct call_words words;
    int *indices = NULL, count = 0;
    if (op->mutate == NULL) {
        return TN_OK;
    }
    const int result =
        call_mutate(&op->extension->exports, op->mutate, options, &indices, &count, &words);
    if (result != EXTENSION_SUCCEEDED) {
        return extension_failed(op->extension, call->host, TN_INTERNAL, "mutateInputs", result,
                                &words);
    }
    tn_status status = TN_OK;
    if (count < 0 || count > TN_MAX_MUTATED_INPUTS || (count > 0 && indices == NULL)) {
        status = extension_is_wrong(op->extension, call->host, "mutateInputs",
                                    "it gave %d numbers of inputs", count);
    }
    for (int i = 0; status == TN_OK && i < count; i++) {
        if (indices[i] < 0 || (uint32_t)indices[i] >= input_count) {
            status =
                extension_is_wrong(op->extension, call->host, "mutateInputs",
                                   "it gave input %d of %u", indices[i], (unsigned)input_count);
        } else {
            call->mutated_inputs[i] = (uint32_t)indices[i];
        }
    }
    if (status == TN_OK) {
        call->mutated_input_count = (uint32_t)count;
    }
    if (indices != NULL) {
        call_free(&op->extension->exports, indices);
    }
    return status;
}

tn_status op_arity(tn_arity_call *call) {
    const struct extension_op *op = call->op->context;
    const struct op_attributes *attributes = call->attributes;
    struct call_options options;
    struct op_counts counts;
    TN_TRY(op_options_create(call->host, &attributes->given, &options));
    tn_status status = op_count(op, call->host, &options, &counts);
    if (status == TN_OK) {
        call->input_count = counts.inputs + counts.extra_inputs;
        call->output_count = counts.outputs + op_state_count(op);
        call->visible_output_count = counts.outputs;
        status = find_mutated(op, call, &options, counts.inputs);
    }
    op_options_destroy(call->host, &options);
    return status;
}

/* The subgraph tells all but the inputs that the node has besides, and the state's number. */
tn_status op_subgraph_arity(tn_arity_call *call) {
    const struct op_attributes *attributes = call->attributes;
    struct call_options options;
    TN_TRY(op_options_create(call->host, &attributes->given, &options));
    const tn_status status =
        op_count_extra(call->op->context, call->host, &options, &call->input_count);
    op_options_destroy(call->host, &options);
    call->output_count = op_state_count(call->op->context);
    return status;
}

/* Of the gradient of a node that stands for a subgraph the node's own attribute tells how many
 * inputs that has; how many outputs, follows from `total`, which counts the inputs of all. */
tn_status op_count_backward(const struct extension_op *op, const tn_host *host,
                            const struct call_options *options, uint32_t total,
                            struct op_counts *out_counts) {
    if (!op->is_subgraph) {
        return op_count(op, host, options, out_counts);
    }
    struct op_counts counts = {MAX_TENSORS, 0, 0};
    TN_TRY(op_count_extra(op, host, options, &counts.extra_inputs));
    TN_TRY(read_count(host, options, OP_SUBGRAPH_INPUTS, &counts.inputs));
    const uint32_t others = counts.inputs + counts.extra_inputs + op_state_count(op);
    if (total < others + 2 || (total - others) % 2 != 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "%u inputs: expected the gradient and the value of each output, and the "
                       "inputs, as attribute %s counts them",
                       (unsigned)total, OP_SUBGRAPH_INPUTS);
    }
    counts.outputs = (total - others) / 2;
    *out_counts = counts;
    return TN_OK;
}

/* The gradient's inputs are: the outputs' gradients, the inputs, the outputs, the state's number.
 */
tn_status op_backward_arity(tn_arity_call *call) {
    const struct extension_op *op = call->op->context;
    const struct op_attributes *attributes = call->attributes;
    struct call_options options;
    struct op_counts counts;
    TN_TRY(op_options_create(call->host, &attributes->given, &options));
    const tn_status status =
        op_count_backward(op, call->host, &options, call->connected_inputs, &counts);
    op_options_destroy(call->host, &options);
    if (status == TN_OK) {
        call->input_count =
            counts.inputs + counts.extra_inputs + 2 * counts.outputs + op_state_count(op);
        call->output_count = counts.inputs > 0 ? counts.inputs : 1;
    }
    return status;
}
