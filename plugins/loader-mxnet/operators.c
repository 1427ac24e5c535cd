#include "operators.h"

static const tn_attribute attribute_table[] = {
    TN_FIELD(struct op_attributes, given, REST, "", NULL, "Whatever the library understands."),
};

static const char *const subgraph_outputs[] = {"output"};

/* The function for a kind of device. The same text may stand there several times: the last counts,
 * as in MXNet. */
static extension_function for_cpu(extension_texts contexts, const extension_function *functions,
                                  int count, int *out_has_others) {
    extension_function found = NULL;
    for (int i = 0; i < count; i++) {
        if (contexts[i] != NULL && strcmp(contexts[i], "cpu") == 0) {
            found = functions[i];
        } else {
            *out_has_others = 1;
        }
    }
    return found;
}

static tn_status read_op(struct extension_op *op, int index) {
    struct extension *extension = op->extension;
    extension_texts forward_contexts = NULL, backward_contexts = NULL, create_contexts = NULL;
    extension_function *forward = NULL, *backward = NULL, *create = NULL;
    int forward_count = 0, backward_count = 0, create_count = 0, has_gpu_backward = 0;
    extension->exports.op(index, &op->name, &op->is_subgraph, &forward_contexts, &forward,
                          &forward_count, &backward_contexts, &backward, &backward_count,
                          &create_contexts, &create, &create_count, &op->parse, &op->type,
                          &op->storage, &op->shape, &op->mutate);
    char what[64];
    snprintf(what, sizeof what, "operator number %d", index);
    if (op->name == NULL || op->name[0] == '\0') {
        return extension_is_wrong(extension, extension->host, what, "it has no name");
    }
    if ((forward_count > 0 && (forward_contexts == NULL || forward == NULL)) ||
        (backward_count > 0 && (backward_contexts == NULL || backward == NULL)) ||
        (create_count > 0 && (create_contexts == NULL || create == NULL))) {
        return extension_is_wrong(extension, extension->host, what,
                                  "'%s' counts functions that are not there", op->name);
    }
    op->forward = for_cpu(forward_contexts, forward, forward_count, &op->has_other_contexts);
    op->create = for_cpu(create_contexts, create, create_count, &op->has_other_contexts);
    op->backward = for_cpu(backward_contexts, backward, backward_count, &has_gpu_backward);
    return TN_OK;
}

static tn_status check_op(const struct extension_op *op) {
    char what[128];
    snprintf(what, sizeof what, "operator %.100s", op->name);
    const int computes = op->forward != NULL || op->create != NULL || op->has_other_contexts;
    if (!op->is_subgraph && (op->parse == NULL || op->type == NULL || op->shape == NULL)) {
        return extension_is_wrong(op->extension, op->extension->host, what,
                                  "it lacks parseAttrs, inferType or inferShape");
    }
    if (!computes || (op->is_subgraph && op->create == NULL && !op->has_other_contexts)) {
        return extension_is_wrong(op->extension, op->extension->host, what,
                                  "it has no function that computes");
    }
    return TN_OK;
}

static tn_status make_text(struct extension *extension, const char *format, const char *name,
                           const char **out_text) {
    char text[512];
    const int size = snprintf(text, sizeof text, format, name);
    char *copy = extension_allocate_memory(extension, (size_t)size + 1, 1);
    if (copy == NULL || (size_t)size >= sizeof text) {
        return tn_fail(extension->host, TN_OUT_OF_MEMORY, "no memory for the name %.80s", name);
    }
    memcpy(copy, text, (size_t)size + 1);
    *out_text = copy;
    return TN_OK;
}

static tn_op describe_op(const struct extension_op *op) {
    return (tn_op){.struct_size = TN_OP_SIZE,
                   .flags = TN_OP_VARIADIC | (op->create != NULL ? TN_OP_STATEFUL : 0) |
                            (op->storage != NULL ? TN_OP_SPARSE : 0),
                   .doc = "An operator of an MXNet extension library.",
                   .attributes = attribute_table,
                   .attribute_count = 1,
                   .attribute_stride = TN_ATTRIBUTE_STRIDE,
                   .attributes_size = sizeof(struct op_attributes),
                   .context = op};
}

static tn_kernel describe_kernel(const struct extension_op *op, const char *name) {
    return (tn_kernel){.struct_size = TN_KERNEL_SIZE,
                       .flags = op->storage != NULL ? TN_KERNEL_SPARSE : 0,
                       .op = name,
                       .target = "cpu",
                       .supports = op_supports,
                       .prepare = op_prepare,
                       .run = op_run,
                       .release = op_release,
                       .context = op};
}

static tn_status add_forward(struct extension_op *op) {
    struct extension *extension = op->extension;
    const char *kernel_name;
    TN_TRY(make_text(extension, "%s.mxnet", op->name, &kernel_name));
    op->op = describe_op(op);
    op->kernel = describe_kernel(op, op->name);
    if (op->is_subgraph) { /* the subgraph tells inputs, outputs and types */
        op->op.flags |= TN_OP_SUBGRAPH;
        op->op.subgraph_count = 1;
        op->op.arity = op_subgraph_arity;
        op->op.infer = op_subgraph_infer;
        op->op.output_names = subgraph_outputs;
        op->op.output_name_count = 1;
        op->kernel.flags |= TN_KERNEL_COMPILES_SUBGRAPHS;
    } else {
        op->op.arity = op_arity;
        op->op.infer = op_infer;
    }
    op->op.gradient = op->backward_name != NULL ? op_gradient : NULL;
    TN_TRY(extension_add_entry(extension, TN_KIND_OP, op->name, TN_OP_VERSION, TN_ENTRY_OVERRIDES,
                               &op->op));
    return extension_add_entry(extension, TN_KIND_KERNEL, kernel_name, TN_KERNEL_VERSION, 0,
                               &op->kernel);
}

static tn_status add_backward(struct extension_op *op) {
    struct extension *extension = op->extension;
    const char *kernel_name;
    if (op->backward == NULL && op->create == NULL) {
        return TN_OK;
    }
    TN_TRY(make_text(extension, "_backward_%s", op->name, &op->backward_name));
    TN_TRY(make_text(extension, "%s.mxnet", op->backward_name, &kernel_name));
    op->backward_op = describe_op(op);
    op->backward_op.arity = op_backward_arity;
    op->backward_op.infer = op_backward_infer;
    op->backward_kernel = describe_kernel(op, op->backward_name);
    TN_TRY(extension_add_entry(extension, TN_KIND_OP, op->backward_name, TN_OP_VERSION,
                               TN_ENTRY_OVERRIDES, &op->backward_op));
    return extension_add_entry(extension, TN_KIND_KERNEL, kernel_name, TN_KERNEL_VERSION, 0,
                               &op->backward_kernel);
}

static tn_status add_op(struct extension *extension, int index) {
    struct extension_op *op = extension_allocate_memory(extension, 1, sizeof *op);
    if (op == NULL) {
        return tn_fail(extension->host, TN_OUT_OF_MEMORY, "no memory for an operator");
    }
    op->extension = extension;
    TN_TRY(read_op(op, index));
    TN_TRY(check_op(op));
    TN_TRY(add_backward(op));
    return add_forward(op);
}

tn_status operators_add(struct extension *extension) {
    const int count = extension->exports.op_count();
    if (count < 0 || count > 4096) {
        return extension_is_wrong(extension, extension->host, "_opRegSize", "it gave %d", count);
    }
    for (int i = 0; i < count; i++) {
        TN_TRY(add_op(extension, i));
    }
    return TN_OK;
}

tn_status op_options_create(const tn_host *host, const tn_options *given,
                            struct call_options *out_options) {
    return op_options_create_with(host, given, NULL, 0, out_options);
}

tn_status op_options_create_with(const tn_host *host, const tn_options *given,
                                 const tn_option *more, size_t more_count,
                                 struct call_options *out_options) {
    const size_t given_count = (size_t)given->count;
    const size_t count = given_count + more_count;
    const char **texts = TN_SERVICE(host, memory)->allocate(host, (2 * count + 1) * sizeof *texts);
    if (texts == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %zu attributes", count);
    }
    for (size_t i = 0; i < count; i++) {
        const tn_option *item = i < given_count ? &given->items[i] : &more[i - given_count];
        texts[i] = item->name;
        texts[count + i] = item->value;
    }
    *out_options = (struct call_options){texts, texts + count, (int)count};
    return TN_OK;
}

void op_options_destroy(const tn_host *host, struct call_options *options) {
    TN_SERVICE(host, memory)->free(host, (void *)(uintptr_t)options->keys);
}
