#include "graph_json.h"

#include "dtype.h"
#include "text_buffer.h"

enum { MAX_DEPTH = 16 };

/* One graph on its way into the text. */
struct writer {
    const tn_host *host;
    const tn_graph_service *graphs;
    struct text_buffer *text;
    int version;
    const tn_graph *graph;
    int is_subgraph;
    uint32_t *order; /* of the nodes in the text */
    uint32_t count;
    uint32_t *places; /* of each node of the graph in `order` */
};

static tn_status get_node(const struct writer *writer, uint32_t node, tn_node_info *out_info) {
    out_info->struct_size = TN_NODE_INFO_SIZE;
    return writer->graphs->node_info(writer->host, writer->graph, node, out_info);
}

/* Libraries of version 7 end a string at the first quote, whatever stands before it. */
static tn_status check_text(const struct writer *writer, const char *node, const char *text) {
    if (writer->version == 7 && strpbrk(text, "\"\\") != NULL) {
        return tn_fail(writer->host, TN_UNSUPPORTED,
                       "node '%.80s': the text %.80s has a quote or a backslash, which a library "
                       "of version 7 cannot read",
                       node, text);
    }
    return TN_OK;
}

static tn_status write_text(const struct writer *writer, const char *node, const char *text) {
    TN_TRY(check_text(writer, node, text));
    text_add_string(writer->text, text);
    return TN_OK;
}

static tn_status write_pair(const struct writer *writer, const char *node, const char *name,
                            const char *value, int *is_first) {
    text_add(writer->text, "%s", *is_first ? "" : ", ");
    *is_first = 0;
    TN_TRY(write_text(writer, node, name));
    text_add(writer->text, ": ");
    return write_text(writer, node, value);
}

static tn_tensor_type type_of(const struct writer *writer, uint32_t node, uint32_t output) {
    tn_tensor_type type;
    return writer->graphs->value_type(writer->host, writer->graph, (tn_value){node, output},
                                      &type) == TN_OK
               ? type
               : (tn_tensor_type){0, 0, tn_shape_unknown()};
}

static void write_shapes(const struct writer *writer, uint32_t node, uint32_t output_count,
                         int *is_first) {
    struct text_buffer *text = writer->text;
    text_add(text, "%s\"__ext_shape__\": \"[", *is_first ? "" : ", ");
    *is_first = 0;
    for (uint32_t i = 0; i < output_count; i++) {
        const tn_tensor_type type = type_of(writer, node, i);
        text_add(text, "%s[", i > 0 ? "," : "");
        for (int32_t axis = 0; axis < type.shape.rank; axis++) {
            text_add(text, "%s%lld", axis > 0 ? "," : "", (long long)type.shape.extents[axis]);
        }
        text_add(text, "]");
    }
    text_add(text, "]\"");
}

static void write_dtypes(const struct writer *writer, uint32_t node, uint32_t output_count,
                         int *is_first) {
    struct text_buffer *text = writer->text;
    text_add(text, "%s\"__ext_dtype__\": \"[", *is_first ? "" : ", ");
    *is_first = 0;
    for (uint32_t i = 0; i < output_count; i++) {
        text_add(text, "%s%d", i > 0 ? "," : "", extension_dtype(type_of(writer, node, i).dtype));
    }
    text_add(text, "]\"");
}

/* "[[2,3],[]]" and "[0,4]": each where it is known of all outputs. */
static void write_types(const struct writer *writer, uint32_t node, uint32_t output_count,
                        int *is_first) {
    int has_shapes = 1, has_dtypes = 1;
    for (uint32_t i = 0; i < output_count; i++) {
        const tn_tensor_type type = type_of(writer, node, i);
        has_shapes = has_shapes && tn_shape_is_known(&type.shape);
        has_dtypes = has_dtypes && extension_dtype(type.dtype) >= 0;
    }
    if (has_shapes) {
        write_shapes(writer, node, output_count, is_first);
    }
    if (has_dtypes) {
        write_dtypes(writer, node, output_count, is_first);
    }
}

static int is_written_anew(const char *name) {
    return strcmp(name, "__ext_shape__") == 0 || strcmp(name, "__ext_dtype__") == 0;
}

static tn_status write_attributes(const struct writer *writer, uint32_t node,
                                  const tn_node_info *info) {
    int is_first = 1;
    text_add(writer->text, ", \"attrs\": {");
    for (uint32_t i = 0; i < info->attribute_count; i++) {
        if (!is_written_anew(info->attributes[i].name)) {
            TN_TRY(write_pair(writer, info->name, info->attributes[i].name,
                              info->attributes[i].value, &is_first));
        }
    }
    for (uint32_t i = 0; i < info->annotation_count; i++) {
        if (!is_written_anew(info->annotations[i].name)) {
            TN_TRY(write_pair(writer, info->name, info->annotations[i].name,
                              info->annotations[i].value, &is_first));
        }
    }
    write_types(writer, node, info->op == NULL ? 1 : info->visible_output_count, &is_first);
    text_add(writer->text, "}");
    return TN_OK;
}

static void write_entries(const struct writer *writer, const tn_value *values, uint32_t count) {
    text_add(writer->text, "[");
    for (uint32_t i = 0; i < count; i++) {
        text_add(writer->text, "%s[%u, %u, 0]", i > 0 ? ", " : "",
                 (unsigned)writer->places[values[i].node], (unsigned)values[i].output);
    }
    text_add(writer->text, "]");
}

static tn_status write_graph(struct writer *writer, uint32_t depth);

static tn_status write_subgraphs(const struct writer *writer, const tn_node_info *info,
                                 uint32_t depth) {
    if (info->subgraph_count == 0) {
        return TN_OK;
    }
    if (depth == MAX_DEPTH) {
        return tn_fail(writer->host, TN_UNSUPPORTED, "graphs lie more than %d deep in one another",
                       MAX_DEPTH);
    }
    text_add(writer->text, ", \"subgraphs\": [");
    for (uint32_t i = 0; i < info->subgraph_count; i++) {
        struct writer inner = {.host = writer->host,
                               .graphs = writer->graphs,
                               .text = writer->text,
                               .version = writer->version,
                               .graph = info->subgraphs[i],
                               .is_subgraph = 1};
        text_add(writer->text, "%s", i > 0 ? ", " : "");
        const tn_status status = write_graph(&inner, depth + 1);
        TN_SERVICE(writer->host, memory)->free(writer->host, inner.order);
        TN_TRY(status);
    }
    text_add(writer->text, "]");
    return TN_OK;
}

static tn_status write_node(const struct writer *writer, uint32_t node, uint32_t depth) {
    tn_node_info info;
    TN_TRY(get_node(writer, node, &info));
    for (uint32_t i = 0; i < info.input_count; i++) {
        if (info.inputs[i].node == TN_NO_NODE) {
            return tn_fail(writer->host, TN_UNSUPPORTED,
                           "node '%.80s' leaves out its input %u, which MXNet's JSON cannot say",
                           info.name, (unsigned)i);
        }
    }
    text_add(writer->text, "{\"op\": ");
    TN_TRY(write_text(writer, info.name, info.op != NULL ? info.op : "null"));
    text_add(writer->text, ", \"name\": ");
    TN_TRY(write_text(writer, info.name, info.name));
    TN_TRY(write_attributes(writer, node, &info));
    text_add(writer->text, ", \"inputs\": ");
    write_entries(writer, info.inputs, info.input_count);
    TN_TRY(write_subgraphs(writer, &info, depth));
    text_add(writer->text, "}");
    return TN_OK;
}

static tn_status write_lists(const struct writer *writer) {
    struct text_buffer *text = writer->text;
    int is_first = 1;
    unsigned outputs = 0;
    tn_node_info info;
    text_add(text, "], \"arg_nodes\": [");
    for (uint32_t i = 0; i < writer->count; i++) {
        TN_TRY(get_node(writer, writer->order[i], &info));
        if (info.op == NULL) {
            text_add(text, "%s%u", is_first ? "" : ", ", (unsigned)i);
            is_first = 0;
        }
    }
    text_add(text, "], \"node_row_ptr\": [0");
    for (uint32_t i = 0; i < writer->count; i++) {
        TN_TRY(get_node(writer, writer->order[i], &info));
        outputs += info.op == NULL ? 1 : info.output_count;
        text_add(text, ", %u", outputs);
    }
    uint32_t count;
    const tn_value *heads = writer->graphs->outputs(writer->host, writer->graph, &count);
    text_add(text, "], \"heads\": ");
    write_entries(writer, heads, count);
    return TN_OK;
}

static int is_variable(const struct writer *writer, uint32_t node) {
    tn_node_info info;
    return get_node(writer, node, &info) == TN_OK && info.op == NULL;
}

/* The nodes that the outputs need; of a subgraph all variables before them. */
static tn_status order_nodes(struct writer *writer) {
    const tn_host *host = writer->host;
    const uint32_t node_count = writer->graphs->node_count(host, writer->graph);
    uint32_t count;
    const uint32_t *order = writer->graphs->order(host, writer->graph, &count);
    writer->order =
        TN_SERVICE(host, memory)->allocate(host, (2 * (size_t)node_count + 1) * sizeof(uint32_t));
    if (order == NULL || writer->order == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the text of a graph");
    }
    writer->places = writer->order + node_count;
    memset(writer->places, 0, node_count * sizeof(uint32_t));
    for (uint32_t i = 0; writer->is_subgraph && i < node_count; i++) {
        if (is_variable(writer, i)) {
            writer->order[writer->count++] = i;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!writer->is_subgraph || !is_variable(writer, order[i])) {
            writer->order[writer->count++] = order[i];
        }
    }
    for (uint32_t i = 0; i < writer->count; i++) {
        writer->places[writer->order[i]] = i;
    }
    return TN_OK;
}

static tn_status write_graph(struct writer *writer, uint32_t depth) {
    TN_TRY(order_nodes(writer));
    text_add(writer->text, "{\"nodes\": [");
    for (uint32_t i = 0; i < writer->count; i++) {
        text_add(writer->text, "%s", i > 0 ? ", " : "");
        TN_TRY(write_node(writer, writer->order[i], depth));
    }
    TN_TRY(write_lists(writer));
    if (depth == 0) {
        text_add(writer->text, ", \"attrs\": {\"mxnet_version\": [\"int\", 10700]}");
    }
    text_add(writer->text, "}");
    return TN_OK;
}

static tn_status write_text_of(const tn_host *host, const tn_graph *graph, int version,
                               int is_subgraph, struct graph_json *out_json) {
    struct text_buffer text = {.host = host};
    struct graph_json json = {NULL, NULL, 0};
    struct writer writer = {.host = host,
                            .graphs = TN_SERVICE(host, graph),
                            .text = &text,
                            .version = version,
                            .graph = graph,
                            .is_subgraph = is_subgraph};
    tn_status status = write_graph(&writer, 0);
    if (status == TN_OK) {
        json.nodes =
            TN_SERVICE(host, memory)->allocate(host, (writer.count + 1) * sizeof *json.nodes);
        json.node_count = writer.count;
        json.text = text.data;
        if (text.has_failed || json.nodes == NULL) {
            status = tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the text of a graph");
        }
    }
    if (status == TN_OK) {
        memcpy(json.nodes, writer.order, writer.count * sizeof *json.nodes);
        *out_json = json;
    } else {
        TN_SERVICE(host, memory)->free(host, text.data);
        TN_SERVICE(host, memory)->free(host, json.nodes);
    }
    TN_SERVICE(host, memory)->free(host, writer.order);
    return status;
}

tn_status graph_json_write(const tn_host *host, const tn_graph *graph, int version,
                           struct graph_json *out_json) {
    return write_text_of(host, graph, version, 0, out_json);
}

tn_status graph_json_write_subgraph(const tn_host *host, const tn_graph *subgraph, int version,
                                    struct graph_json *out_json) {
    return write_text_of(host, subgraph, version, 1, out_json);
}

void graph_json_destroy(const tn_host *host, struct graph_json *json) {
    TN_SERVICE(host, memory)->free(host, json->text);
    TN_SERVICE(host, memory)->free(host, json->nodes);
}

size_t graph_json_length(const char *text, size_t limit) {
    size_t depth = 0;
    int in_string = 0;
    for (size_t i = 0; i < limit && text[i] != '\0'; i++) {
        if (in_string && text[i] == '\\') {
            i++; /* what follows it does not end the string */
        } else if (text[i] == '"') {
            in_string = !in_string;
        } else if (!in_string && text[i] == '{') {
            depth++;
        } else if (!in_string && text[i] == '}') {
            if (depth <= 1) {
                return depth == 1 ? i + 1 : 0;
            }
            depth--;
        }
    }
    return 0;
}
