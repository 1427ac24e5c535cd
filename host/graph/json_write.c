/*
 * Tenon's own JSON, written: one node a line, in the order of the nodes' numbers, members in a
 * fixed order. docs/formats.md describes it.
 */
#include <jansson.h>
#include <string.h>

#include <tenon/plugin/sparse.h>

#include "base/error.h"
#include "base/text.h"
#include "graph/graph.h"
#include "graph/json.h"

static void write_string(tni_text *text, const char *string) {
    json_t *json = json_string_nocheck(string);
    char *dumped = json == NULL ? NULL : json_dumps(json, JSON_ENCODE_ANY);
    json_decref(json);
    if (dumped == NULL) {
        text->failed = true;
        return;
    }
    tni_text_add_bytes(text, dumped, strlen(dumped));
    free(dumped);
}

static void write_options(tni_text *text, const char *key, const tn_option *options,
                          uint32_t count) {
    if (count == 0) {
        return;
    }
    tni_text_add(text, ",\"%s\":{", key);
    for (uint32_t i = 0; i < count; i++) {
        tni_text_add(text, "%s", i > 0 ? "," : "");
        write_string(text, options[i].name);
        tni_text_add(text, ":");
        write_string(text, options[i].value);
    }
    tni_text_add(text, "}");
}

static void write_values(tni_text *text, const tn_value *values, uint32_t count) {
    tni_text_add(text, "[");
    for (uint32_t i = 0; i < count; i++) {
        tni_text_add(text, "%s", i > 0 ? "," : "");
        if (values[i].node == TN_NO_NODE) {
            tni_text_add(text, "null");
        } else {
            tni_text_add(text, "[%u,%u]", values[i].node, values[i].output);
        }
    }
    tni_text_add(text, "]");
}

static void write_type(tni_text *text, const tn_tensor_type *type) {
    if (type->dtype != 0) {
        tni_text_add(text, ",\"dtype\":\"%s\"", tn_dtype_text(type->dtype));
    }
    if (tn_storage_is_sparse(type->storage)) {
        tni_text_add(text, ",\"storage\":\"%s\"", tn_storage_name(type->storage));
    }
    if (type->shape.rank < 0) {
        return;
    }
    tni_text_add(text, ",\"shape\":[");
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        const char *comma = axis > 0 ? "," : "";
        if (type->shape.extents[axis] < 0) {
            tni_text_add(text, "%snull", comma);
        } else {
            tni_text_add(text, "%s%lld", comma, (long long)type->shape.extents[axis]);
        }
    }
    tni_text_add(text, "]");
}

static void write_graph(tni_text *text, const tn_graph *graph);

static void write_node(tni_text *text, const tni_node *node) {
    tni_text_add(text, "{\"name\":");
    write_string(text, node->name);
    if (node->op == NULL) {
        write_type(text, &node->declared);
    } else {
        tni_text_add(text, ",\"op\":");
        write_string(text, node->entry->entry->name);
        write_options(text, "attributes", node->attributes, node->attribute_count);
        tni_text_add(text, ",\"inputs\":");
        write_values(text, node->inputs, node->input_count);
    }
    if (node->control_count > 0) {
        tni_text_add(text, ",\"controls\":[");
        for (uint32_t i = 0; i < node->control_count; i++) {
            tni_text_add(text, "%s%u", i > 0 ? "," : "", node->controls[i]);
        }
        tni_text_add(text, "]");
    }
    write_options(text, "annotations", node->annotations, node->annotation_count);
    if (node->subgraph_count > 0) {
        tni_text_add(text, ",\"subgraphs\":[");
        for (uint32_t i = 0; i < node->subgraph_count; i++) {
            tni_text_add(text, "%s{", i > 0 ? "," : "");
            write_graph(text, node->subgraphs[i]);
            tni_text_add(text, "}");
        }
        tni_text_add(text, "]");
    }
    tni_text_add(text, "}");
}

/* Only where an output has a name of its own. */
static void write_output_names(tni_text *text, const tn_graph *graph) {
    bool has_name = false;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        has_name |= graph->output_names[i] != NULL;
    }
    for (uint32_t i = 0; has_name && i < graph->output_count; i++) {
        tni_text_add(text, "%s", i == 0 ? ",\n\"output_names\":[" : ",");
        if (graph->output_names[i] != NULL) {
            write_string(text, graph->output_names[i]);
        } else {
            tni_text_add(text, "null");
        }
    }
    tni_text_add(text, "%s", has_name ? "]" : "");
}

static void write_graph(tni_text *text, const tn_graph *graph) {
    tni_text_add(text, "\"nodes\":[");
    for (uint32_t i = 0; i < graph->node_count; i++) {
        tni_text_add(text, "%s", i > 0 ? ",\n" : "\n");
        write_node(text, graph->nodes[i]);
    }
    tni_text_add(text, "],\n\"outputs\":");
    write_values(text, graph->outputs, graph->output_count);
    write_output_names(text, graph);
}

tn_status tni_graph_write_json(const tn_graph *graph, const char *parameters, tni_text *text) {
    tni_text_add(text, "{\"tenon\":%d", TNI_JSON_VERSION);
    if (parameters != NULL) {
        tni_text_add(text, ",\"parameters\":");
        write_string(text, parameters);
    }
    tni_text_add(text, ",\n");
    write_graph(text, graph);
    tni_text_add(text, "}\n");
    return tni_text_status(text);
}

/* Numbers in a file have no holes. */
static tn_status write_compact(const tn_graph *graph, tni_text *text) {
    tn_graph *copy;
    TNI_TRY(tni_graph_clone(graph, TNI_HOLDER_GRAPH, &copy));
    const tn_status status = tni_graph_write_json(copy, NULL, text);
    tn_graph_destroy(copy);
    return status;
}

tn_status tn_graph_to_json(const tn_graph *graph, char **out_text) {
    tni_text text = {0};
    const tn_status status = tni_graph_has_holes(graph) ? write_compact(graph, &text)
                                                        : tni_graph_write_json(graph, NULL, &text);
    if (status != TN_OK) {
        tni_text_finish(&text);
        return status;
    }
    *out_text = text.data; /* tn_text_free ends it */
    return TN_OK;
}

void tn_text_free(char *text) {
    free(text);
}
