/* Names and values of one scope. */
#include "families.h"
#include "reader.h"

void onnx_scope_finish(struct onnx_scope *scope) {
    name_map_finish(scope->reader->host, &scope->values);
}

int64_t onnx_scope_version(const struct onnx_scope *scope, const char *domain) {
    int64_t version = 0;
    for (size_t i = 0; i < scope->opset_import_count; i++) {
        const Onnx__OperatorSetIdProto *import = scope->opset_import[i];
        const char *name =
            import->domain == NULL || strcmp(import->domain, "ai.onnx") == 0 ? "" : import->domain;
        if (strcmp(name, domain) == 0 && import->version > version) {
            version = import->version;
        }
    }
    return version;
}

tn_status onnx_scope_find(const struct onnx_scope *scope, const char *where, const char *name,
                          tn_value *out_value) {
    const tn_value *value = name_map_find(&scope->values, name);
    if (value == NULL) {
        return tn_fail(scope->reader->host, TN_CORRUPT,
                       "%s: no input, initializer or earlier node of the graph makes '%.200s'",
                       where, name);
    }
    *out_value = *value;
    return TN_OK;
}

const char *onnx_free_name(const struct onnx_scope *scope, const char *wanted, char *buffer,
                           size_t size) {
    const tn_host *host = scope->reader->host;
    const tn_graph_service *graphs = TN_SERVICE(host, graph);
    if (wanted[0] != '\0' && graphs->find_node(host, scope->graph, wanted) == TN_NO_NODE) {
        return wanted;
    }
    for (uint32_t number = graphs->node_count(host, scope->graph);; number++) {
        snprintf(buffer, size, "%.500s_%u", wanted, (unsigned)number);
        if (graphs->find_node(host, scope->graph, buffer) == TN_NO_NODE) {
            return buffer;
        }
    }
}

tn_status onnx_add_parameter(struct onnx_scope *scope, const char *wanted_name, tn_tensor *tensor,
                             tn_value *out_value) {
    const tn_host *host = scope->reader->host;
    char buffer[600];
    const char *name = onnx_free_name(scope, wanted_name, buffer, sizeof buffer);
    *out_value = (tn_value){0, 0};
    return TN_SERVICE(host, graph)
        ->add_parameter(host, scope->graph, name, tensor, &out_value->node);
}

const tn_view *onnx_value_view(const struct onnx_scope *scope, tn_value value) {
    const tn_host *host = scope->reader->host;
    const tn_tensor *tensor = TN_SERVICE(host, graph)->parameter(host, scope->graph, value.node);
    return tensor == NULL ? NULL : TN_SERVICE(host, tensor)->view(host, tensor);
}
