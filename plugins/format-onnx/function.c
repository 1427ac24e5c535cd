/* A function of the model: its body takes the place of the node that calls it. */
#include "translate.h"

enum { MAX_CALLS = 48 };

static const char *official(const char *domain) {
    return domain == NULL || strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

const Onnx__FunctionProto *onnx_find_function(const struct onnx_reader *reader, const char *domain,
                                              const char *name, uint32_t *out_index) {
    for (size_t i = 0; i < reader->model->n_functions; i++) {
        const Onnx__FunctionProto *function = reader->model->functions[i];
        if (function->name != NULL && strcmp(function->name, name) == 0 &&
            strcmp(official(function->domain), domain) == 0) {
            *out_index = (uint32_t)i;
            return function;
        }
    }
    return NULL;
}

/* The call's inputs under the names that the function has for them. An input that is left out has
 * the empty name inside, too: it is not in the map, and onnx_read_nodes never sees it. */
static tn_status bind_inputs(const struct onnx_node *node, struct onnx_scope *scope) {
    const Onnx__FunctionProto *function = scope->function;
    if (node->proto->n_input > function->n_input) {
        return onnx_fail(node, TN_INVALID_ARGUMENT, "%zu inputs, but the function has %zu",
                         node->proto->n_input, function->n_input);
    }
    for (uint32_t i = 0; i < function->n_input; i++) {
        tn_value value;
        if (onnx_has_input(node, i)) {
            TN_TRY(onnx_input(node, i, &value));
        } else {
            value = (tn_value){TN_NO_NODE, 0};
        }
        TN_TRY(name_map_set(node->host, &scope->values, function->input[i], value));
    }
    return TN_OK;
}

static tn_status hand_out(struct onnx_node *node, const struct onnx_scope *scope) {
    const Onnx__FunctionProto *function = scope->function;
    if (node->proto->n_output > function->n_output) {
        return onnx_fail(node, TN_INVALID_ARGUMENT, "%zu outputs, but the function has %zu",
                         node->proto->n_output, function->n_output);
    }
    for (uint32_t i = 0; i < node->proto->n_output; i++) {
        char where[300];
        tn_value value;
        snprintf(where, sizeof where, "%s.output[%u]", scope->path, (unsigned)i);
        TN_TRY(onnx_scope_find(scope, where, function->output[i], &value));
        TN_TRY(onnx_set_output(node, i, value));
    }
    return TN_OK;
}

tn_status onnx_inline_function(struct onnx_node *node, const Onnx__FunctionProto *function,
                               uint32_t index) {
    struct onnx_reader *reader = node->scope->reader;
    char path[64], prefix[400];
    if (reader->depth == MAX_CALLS) {
        return onnx_fail(node, TN_CORRUPT, "functions call each other more than %d deep",
                         MAX_CALLS);
    }
    snprintf(path, sizeof path, "functions[%u]", (unsigned)index);
    snprintf(prefix, sizeof prefix, "%.300s/", node->name);
    struct onnx_scope scope = {.reader = reader,
                               .graph = node->scope->graph,
                               .path = path,
                               .opset_import = function->opset_import,
                               .opset_import_count = function->n_opset_import,
                               .caller = node,
                               .function = function,
                               .name_prefix = prefix};
    reader->depth++;
    tn_status status = bind_inputs(node, &scope);
    if (status == TN_OK) {
        status = onnx_read_nodes(&scope, function->node, function->n_node);
    }
    if (status == TN_OK) {
        status = hand_out(node, &scope);
    }
    reader->depth--;
    onnx_scope_finish(&scope);
    return status;
}
