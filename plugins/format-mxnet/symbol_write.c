/* Writes a graph as the symbol file that MXNet 1.9 makes of it, node for node in its order. */
#include "json_writer.h"
#include "numpy_shape.h"
#include "order.h"
#include "symbol.h"
#include "written_attributes.h"

struct symbol_writer {
    const tn_host *host;
    const tn_graph_service *graphs;
    struct json_writer json;
    int32_t numpy_shapes;
};

/* One graph of the file: the nodes that its outputs need, numbered anew. */
struct written_graph {
    const struct symbol_writer *writer;
    const tn_graph *graph;
    uint32_t *order;
    uint32_t *position; /* of each node of the graph in `order` */
    uint32_t *changes;  /* how often the nodes written so far have changed each variable */
    uint32_t node_count;
};

static tn_status write_graph(struct symbol_writer *writer, const tn_graph *graph, uint32_t depth);

static tn_status get_node(const struct symbol_writer *writer, const tn_graph *graph, uint32_t node,
                          tn_node_info *out_info) {
    out_info->struct_size = TN_NODE_INFO_SIZE;
    return writer->graphs->node_info(writer->host, graph, node, out_info);
}

/* Inputs, then control dependencies; for TN_NO_NODE the outputs. */
static uint32_t needs(const void *context, uint32_t node, uint32_t index) {
    const struct written_graph *written = context;
    const struct symbol_writer *writer = written->writer;
    if (node == TN_NO_NODE) {
        uint32_t count;
        const tn_value *outputs = writer->graphs->outputs(writer->host, written->graph, &count);
        return index < count ? outputs[index].node : TN_NO_NODE;
    }
    tn_node_info info;
    if (get_node(writer, written->graph, node, &info) != TN_OK) {
        return TN_NO_NODE;
    }
    if (index < info.input_count) {
        return info.inputs[index].node;
    }
    const uint32_t control = index - info.input_count;
    return control < info.control_count ? info.controls[control] : TN_NO_NODE;
}

/* What MXNet has no way to say. */
static tn_status check_graph(const struct symbol_writer *writer, const tn_graph *graph) {
    const uint32_t count = writer->graphs->node_count(writer->host, graph);
    for (uint32_t node = 0; node < count; node++) {
        tn_node_info info;
        TN_TRY(get_node(writer, graph, node, &info));
        for (uint32_t i = 0; i < info.input_count; i++) {
            if (info.inputs[i].node == TN_NO_NODE) {
                return tn_fail(writer->host, TN_UNSUPPORTED,
                               "node '%.80s' (%.80s) leaves out its input %u, which an MXNet "
                               "symbol cannot say",
                               info.name, info.op, (unsigned)i);
            }
        }
    }
    return TN_OK;
}

static tn_status find_numpy_shapes(struct symbol_writer *writer, const tn_graph *graph,
                                   uint32_t depth) {
    const uint32_t count = writer->graphs->node_count(writer->host, graph);
    for (uint32_t node = 0; node < count && depth <= SYMBOL_MAX_NESTING; node++) {
        tn_node_info info;
        tn_tensor_type type;
        TN_TRY(get_node(writer, graph, node, &info));
        for (uint32_t i = 0; i < info.subgraph_count; i++) {
            TN_TRY(find_numpy_shapes(writer, info.subgraphs[i], depth + 1));
        }
        if (info.op == NULL) {
            TN_TRY(writer->graphs->variable_type(writer->host, graph, node, &type));
            writer->numpy_shapes |= shape_needs_numpy(type.shape.rank, type.shape.extents);
        }
        const tn_tensor *parameter = writer->graphs->parameter(writer->host, graph, node);
        if (parameter != NULL) {
            const tn_view *view = TN_SERVICE(writer->host, tensor)->view(writer->host, parameter);
            writer->numpy_shapes |= shape_needs_numpy(view->rank, view->shape);
        }
    }
    return TN_OK;
}

static tn_status write_attributes(const struct written_graph *written, struct json_writer *json,
                                  uint32_t node, const tn_node_info *info) {
    const struct symbol_writer *writer = written->writer;
    tn_tensor_type type;
    if (info->op == NULL) {
        TN_TRY(writer->graphs->variable_type(writer->host, written->graph, node, &type));
    }
    struct written_attributes attributes;
    TN_TRY(written_attributes_create(writer->host, info, info->op == NULL ? &type : NULL,
                                     writer->numpy_shapes, &attributes));
    if (attributes.count > 0) {
        json_writer_key(json, "attrs");
        json_writer_begin_object(json, attributes.count > 1);
        for (uint32_t i = 0; i < attributes.count; i++) {
            json_writer_key(json, attributes.items[i].name);
            json_writer_string(json, attributes.items[i].value);
        }
        json_writer_end(json);
    }
    written_attributes_destroy(writer->host, &attributes);
    return TN_OK;
}

static void write_entries(const struct written_graph *written, struct json_writer *json,
                          const char *key, const tn_value *values, uint32_t count) {
    json_writer_key(json, key);
    json_writer_begin_list(json, count);
    for (uint32_t i = 0; i < count; i++) {
        json_writer_item(json);
        json_writer_begin_array(json, 0);
        json_writer_item(json);
        json_writer_number(json, written->position[values[i].node]);
        json_writer_item(json);
        json_writer_number(json, values[i].output);
        json_writer_item(json);
        json_writer_number(json, written->changes[values[i].node]);
        json_writer_end(json);
    }
    json_writer_end(json);
}

/* The third number of an entry counts changes, the node's own included. */
static void count_changes(const struct written_graph *written, uint32_t node,
                          const tn_node_info *info) {
    const struct symbol_writer *writer = written->writer;
    for (uint32_t i = 0; i < info->input_count; i++) {
        if (writer->graphs->input_is_mutated(writer->host, written->graph, node, i)) {
            written->changes[info->inputs[i].node]++;
        }
    }
}

static void write_controls(const struct written_graph *written, struct json_writer *json,
                           const tn_node_info *info) {
    if (info->control_count == 0) {
        return;
    }
    json_writer_key(json, "control_deps");
    json_writer_begin_list(json, info->control_count);
    for (uint32_t i = 0; i < info->control_count; i++) {
        json_writer_item(json);
        json_writer_number(json, written->position[info->controls[i]]);
    }
    json_writer_end(json);
}

static tn_status write_subgraphs(struct symbol_writer *writer, const tn_node_info *info,
                                 uint32_t depth) {
    if (info->subgraph_count == 0) {
        return TN_OK;
    }
    if (depth == SYMBOL_MAX_NESTING) {
        return tn_fail(writer->host, TN_UNSUPPORTED, "graphs lie more than %d deep in one another",
                       SYMBOL_MAX_NESTING);
    }
    json_writer_key(&writer->json, "subgraphs");
    json_writer_begin_array(&writer->json, 1);
    for (uint32_t i = 0; i < info->subgraph_count; i++) {
        json_writer_item(&writer->json);
        TN_TRY(write_graph(writer, info->subgraphs[i], depth + 1));
    }
    json_writer_end(&writer->json);
    return TN_OK;
}

static tn_status write_node(struct symbol_writer *writer, const struct written_graph *written,
                            uint32_t node, uint32_t depth) {
    struct json_writer *json = &writer->json;
    tn_node_info info;
    TN_TRY(get_node(writer, written->graph, node, &info));
    json_writer_item(json);
    json_writer_begin_object(json, 1);
    json_writer_key(json, "op");
    json_writer_string(json, info.op != NULL ? info.op : "null");
    json_writer_key(json, "name");
    json_writer_string(json, info.name);
    TN_TRY(write_attributes(written, json, node, &info));
    count_changes(written, node, &info);
    write_entries(written, json, "inputs", info.inputs, info.input_count);
    write_controls(written, json, &info);
    TN_TRY(write_subgraphs(writer, &info, depth));
    json_writer_end(json);
    return TN_OK;
}

/* arg_nodes: the variables; node_row_ptr: how many outputs there are before each node. */
static tn_status write_node_lists(struct symbol_writer *writer,
                                  const struct written_graph *written) {
    struct json_writer *json = &writer->json;
    tn_node_info info;
    uint32_t variables = 0;
    for (uint32_t i = 0; i < written->node_count; i++) {
        TN_TRY(get_node(writer, written->graph, written->order[i], &info));
        variables += info.op == NULL;
    }
    json_writer_key(json, "arg_nodes");
    json_writer_begin_list(json, variables);
    for (uint32_t i = 0; i < written->node_count; i++) {
        TN_TRY(get_node(writer, written->graph, written->order[i], &info));
        if (info.op == NULL) {
            json_writer_item(json);
            json_writer_number(json, i);
        }
    }
    json_writer_end(json);
    int64_t outputs = 0;
    json_writer_key(json, "node_row_ptr");
    json_writer_begin_list(json, (uint64_t)written->node_count + 1);
    json_writer_item(json);
    json_writer_number(json, outputs);
    for (uint32_t i = 0; i < written->node_count; i++) {
        TN_TRY(get_node(writer, written->graph, written->order[i], &info));
        outputs += info.op == NULL ? 1 : info.output_count;
        json_writer_item(json);
        json_writer_number(json, outputs);
    }
    json_writer_end(json);
    return TN_OK;
}

static void write_file_attributes(struct symbol_writer *writer) {
    static const char *const names[] = {"is_np_shape", "mxnet_version"};
    const int64_t values[] = {1, SYMBOL_VERSION_WRITTEN};
    struct json_writer *json = &writer->json;
    json_writer_key(json, "attrs");
    json_writer_begin_object(json, writer->numpy_shapes);
    for (size_t i = writer->numpy_shapes ? 0 : 1; i < 2; i++) {
        json_writer_key(json, names[i]);
        json_writer_begin_array(json, 0);
        json_writer_item(json);
        json_writer_string(json, "int");
        json_writer_item(json);
        json_writer_number(json, values[i]);
        json_writer_end(json);
    }
    json_writer_end(json);
}

static tn_status write_ordered(struct symbol_writer *writer, struct written_graph *written,
                               uint32_t depth) {
    struct json_writer *json = &writer->json;
    const uint32_t count = writer->graphs->node_count(writer->host, written->graph);
    TN_TRY(order_nodes(writer->host, count, needs, written, written->order, &written->node_count));
    for (uint32_t i = 0; i < written->node_count; i++) {
        written->position[written->order[i]] = i;
    }
    json_writer_begin_object(json, 1);
    json_writer_key(json, "nodes");
    json_writer_begin_array(json, 1);
    for (uint32_t i = 0; i < written->node_count; i++) {
        TN_TRY(write_node(writer, written, written->order[i], depth));
    }
    json_writer_end(json);
    TN_TRY(write_node_lists(writer, written));
    uint32_t output_count;
    const tn_value *outputs = writer->graphs->outputs(writer->host, written->graph, &output_count);
    write_entries(written, json, "heads", outputs, output_count);
    if (depth == 0) {
        write_file_attributes(writer);
    }
    json_writer_end(json);
    return json->status;
}

static tn_status write_graph(struct symbol_writer *writer, const tn_graph *graph, uint32_t depth) {
    TN_TRY(check_graph(writer, graph));
    struct written_graph written = {.writer = writer, .graph = graph};
    const uint32_t count = writer->graphs->node_count(writer->host, graph);
    void *numbers;
    TN_TRY(tn_allocate(writer->host, (uint64_t)count * 3, sizeof(uint32_t), &numbers));
    written.order = numbers;
    written.position = written.order + count;
    written.changes = written.position + count;
    memset(written.changes, 0, count * sizeof(uint32_t));
    const tn_status status = write_ordered(writer, &written, depth);
    tn_free(writer->host, numbers);
    return status;
}

tn_status symbol_write(const tn_host *host, const tn_graph *graph, const tn_byte_sink *sink) {
    struct symbol_writer writer = {.host = host, .graphs = TN_SERVICE(host, graph)};
    writer.json.sink = sink;
    TN_TRY(find_numpy_shapes(&writer, graph, 0));
    return write_graph(&writer, graph, 0);
}
