/* The node that a translation works on: inputs, nodes to add, outputs. */
#include "translate.h"

#include "dtype.h"

void onnx_set_error(const struct onnx_node *node, tn_status status, const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tn_set_error(node->host, status, "%s: %s '%s' (operator set %lld): %s", node->path,
                 node->proto->op_type, node->name, (long long)node->version, text);
}

uint32_t onnx_input_count(const struct onnx_node *node) {
    return (uint32_t)node->proto->n_input;
}

int onnx_has_input(const struct onnx_node *node, uint32_t index) {
    if (index >= node->proto->n_input || node->proto->input[index][0] == '\0') {
        return 0;
    }
    /* Inside a function: an input that the caller leaves out. */
    const tn_value *value = name_map_find(&node->scope->values, node->proto->input[index]);
    return value == NULL || value->node != TN_NO_NODE;
}

tn_status onnx_input(const struct onnx_node *node, uint32_t index, tn_value *out_value) {
    if (!onnx_has_input(node, index)) {
        return onnx_fail(node, TN_INVALID_ARGUMENT, "input %u is missing", (unsigned)index);
    }
    char where[300];
    snprintf(where, sizeof where, "%s.input[%u]", node->path, (unsigned)index);
    return onnx_scope_find(node->scope, where, node->proto->input[index], out_value);
}

tn_status onnx_optional_input(const struct onnx_node *node, uint32_t index, tn_value *out_value) {
    *out_value = (tn_value){TN_NO_NODE, 0};
    return onnx_has_input(node, index) ? onnx_input(node, index, out_value) : TN_OK;
}

tn_status onnx_inputs(const struct onnx_node *node, tn_value *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(onnx_optional_input(node, i, &values[i]));
    }
    return TN_OK;
}

const tn_view *onnx_constant(const struct onnx_node *node, uint32_t index) {
    if (!onnx_has_input(node, index)) {
        return NULL;
    }
    const tn_value *value = name_map_find(&node->scope->values, node->proto->input[index]);
    return value == NULL ? NULL : onnx_value_view(node->scope, *value);
}

tn_status onnx_constant_ints(const struct onnx_node *node, uint32_t index, int64_t *values,
                             uint32_t capacity, uint32_t *out_count, int *out_known) {
    const tn_view *view = onnx_constant(node, index);
    *out_count = 0;
    *out_known = view != NULL;
    if (view == NULL) {
        return TN_OK;
    }
    const int64_t count = tn_element_count(view);
    if ((view->dtype != TN_I64 && view->dtype != TN_I32) || count > (int64_t)capacity) {
        return onnx_fail(node, TN_INVALID_ARGUMENT,
                         "input %u: %lld elements of %s, expected at most %u of int64",
                         (unsigned)index, (long long)count, tn_dtype_name(view->dtype),
                         (unsigned)capacity);
    }
    for (int64_t i = 0; i < count; i++) {
        values[i] = view->dtype == TN_I64 ? ((const int64_t *)tn_data(view))[i]
                                          : ((const int32_t *)tn_data(view))[i];
    }
    *out_count = (uint32_t)count;
    return TN_OK;
}

tn_status onnx_add_node(struct onnx_node *node, const char *op, struct onnx_options *options,
                        const tn_value *inputs, uint32_t input_count, uint32_t *out_number) {
    const tn_graph_service *graphs = TN_SERVICE(node->host, graph);
    char buffer[600];
    const char *name = onnx_free_name(node->scope, node->name, buffer, sizeof buffer);
    tn_status status = options != NULL ? options->status : TN_OK;
    if (status == TN_OK) {
        status = graphs->add_node(
            node->host, node->scope->graph, op, name, options != NULL ? options->items : NULL,
            options != NULL ? options->count : 0, inputs, input_count, out_number);
    }
    if (options != NULL) {
        onnx_options_finish(options);
    }
    return status;
}

tn_status onnx_add(struct onnx_node *node, const char *op, struct onnx_options *options,
                   const tn_value *inputs, uint32_t input_count, tn_value *out_value) {
    uint32_t number;
    TN_TRY(onnx_add_node(node, op, options, inputs, input_count, &number));
    *out_value = (tn_value){number, 0};
    return TN_OK;
}

tn_status onnx_add_constant(struct onnx_node *node, tn_dtype dtype, int32_t rank,
                            const int64_t *extents, const void *elements, tn_value *out_value) {
    const tn_tensor_service *tensors = TN_SERVICE(node->host, tensor);
    tn_tensor *tensor;
    TN_TRY(tensors->create(node->host, dtype, rank, extents, &tensor));
    const tn_view *view = tensors->view(node->host, tensor);
    if (tn_byte_size(view) > 0) {
        memcpy(tn_data(view), elements, tn_byte_size(view));
    }
    const tn_status status = onnx_add_parameter(node->scope, node->name, tensor, out_value);
    tensors->release(node->host, tensor);
    return status;
}

void onnx_release_tensor(const struct onnx_node *node, tn_tensor *tensor) {
    TN_SERVICE(node->host, tensor)->release(node->host, tensor);
}

uint32_t onnx_output_count(const struct onnx_node *node) {
    return (uint32_t)node->proto->n_output;
}

int onnx_has_output(const struct onnx_node *node, uint32_t index) {
    return index < node->proto->n_output && node->proto->output[index][0] != '\0';
}

tn_status onnx_set_output(struct onnx_node *node, uint32_t index, tn_value value) {
    if (!onnx_has_output(node, index)) {
        return TN_OK;
    }
    const char *name = node->proto->output[index];
    if (name_map_find(&node->scope->values, name) != NULL) {
        return tn_fail(node->host, TN_CORRUPT, "%s.output[%u]: the value '%s' is there already",
                       node->path, (unsigned)index, name);
    }
    return name_map_set(node->host, &node->scope->values, name, value);
}

tn_status onnx_finish(struct onnx_node *node, const char *op, struct onnx_options *options,
                      const tn_value *inputs, uint32_t input_count) {
    tn_value value;
    TN_TRY(onnx_add(node, op, options, inputs, input_count, &value));
    return onnx_set_output(node, 0, value);
}

static tn_status add_same(struct onnx_node *node, tn_value *inputs, uint32_t count,
                          uint32_t *out_number) {
    char op[128];
    snprintf(op, sizeof op, "onnx.%.100s", node->proto->op_type);
    TN_TRY(onnx_inputs(node, inputs, count));
    struct onnx_options options = onnx_options(node);
    const tn_status status = onnx_copy_attributes(node, &options);
    if (status != TN_OK) {
        onnx_options_finish(&options);
        return status;
    }
    return onnx_add_node(node, node->mapping->target != NULL ? node->mapping->target : op, &options,
                         inputs, count, out_number);
}

tn_status onnx_same(struct onnx_node *node) {
    uint32_t count = onnx_input_count(node);
    count = count < node->mapping->input_count ? node->mapping->input_count : count;
    void *inputs;
    uint32_t number;
    TN_TRY(tn_allocate(node->host, count, sizeof(tn_value), &inputs));
    const tn_status status = add_same(node, inputs, count, &number);
    tn_free(node->host, inputs);
    TN_TRY(status);
    tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
    TN_TRY(TN_SERVICE(node->host, graph)->node_info(node->host, node->scope->graph, number, &info));
    for (uint32_t i = 0; i < onnx_output_count(node); i++) {
        if (onnx_has_output(node, i) && i >= info.output_count) {
            return onnx_fail(node, TN_UNSUPPORTED, "output %u is not made by this operator",
                             (unsigned)i);
        }
        TN_TRY(onnx_set_output(node, i, (tn_value){number, i}));
    }
    return TN_OK;
}
