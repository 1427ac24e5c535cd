#include "graph_parameters.h"
#include "file.h"
#include "params.h"

#define ARGUMENT_PREFIX "arg:"
#define AUXILIARY_PREFIX "aux:"

enum { PREFIX_LENGTH = sizeof ARGUMENT_PREFIX - 1 };

struct target {
    const tn_host *host;
    tn_graph *graph;
    const char *where; /* for messages */
};

static int has_prefix(const char *name, const char *prefix) {
    return strncmp(name, prefix, PREFIX_LENGTH) == 0;
}

static tn_status set_parameter(void *context, const char *name, tn_tensor *tensor) {
    const struct target *target = context;
    if (name == NULL) {
        return tn_fail(target->host, TN_CORRUPT,
                       "%sthe arrays of this list have no names, so they cannot be parameters",
                       target->where);
    }
    const char *variable = name;
    if (has_prefix(name, ARGUMENT_PREFIX) || has_prefix(name, AUXILIARY_PREFIX)) {
        variable += PREFIX_LENGTH;
    }
    const tn_status status = TN_SERVICE(target->host, graph)
                                 ->set_parameter(target->host, target->graph, variable, tensor);
    if (status != TN_NOT_FOUND) {
        return status;
    }
    tn_log(target->host, TN_LOG_WARNING, "no variable of the graph needs the parameter '%.200s'",
           variable);
    return TN_OK;
}

tn_status graph_parameters_read(const tn_host *host, tn_graph *graph, const char *path,
                                const void *data, uint64_t size) {
    char where[400];
    snprintf(where, sizeof where, "'%.380s': ", path);
    struct target target = {host, graph, where};
    const tn_tensor_sink sink = {TN_STRUCT_END(tn_tensor_sink, add), 0, &target, set_parameter};
    return params_read(host, where, data, size, &sink);
}

/* The parameters of a graph as a list, with names that say what they are. */
struct collection {
    tn_named_tensor *tensors; /* also owns the names */
    uint32_t count;
    uint64_t name_bytes;
};

static tn_status get_node(const tn_host *host, const tn_graph *graph, uint32_t node,
                          tn_node_info *out_info) {
    out_info->struct_size = TN_NODE_INFO_SIZE;
    return TN_SERVICE(host, graph)->node_info(host, graph, node, out_info);
}

static tn_status measure(const tn_host *host, const tn_graph *graph, struct collection *size) {
    const tn_graph_service *graphs = TN_SERVICE(host, graph);
    const uint32_t node_count = graphs->node_count(host, graph);
    for (uint32_t node = 0; node < node_count; node++) {
        if (graphs->parameter(host, graph, node) != NULL) {
            tn_node_info info;
            TN_TRY(get_node(host, graph, node, &info));
            size->count++;
            size->name_bytes += PREFIX_LENGTH + strlen(info.name) + 1;
        }
    }
    return TN_OK;
}

/* Marks the variables that an operator changes: the auxiliary states. */
static tn_status mark_auxiliaries(const tn_host *host, const tn_graph *graph, uint8_t *marks) {
    const tn_graph_service *graphs = TN_SERVICE(host, graph);
    const uint32_t node_count = graphs->node_count(host, graph);
    memset(marks, 0, node_count);
    for (uint32_t node = 0; node < node_count; node++) {
        tn_node_info info;
        TN_TRY(get_node(host, graph, node, &info));
        for (uint32_t i = 0; i < info.input_count; i++) {
            if (info.inputs[i].node != TN_NO_NODE &&
                graphs->input_is_mutated(host, graph, node, i)) {
                marks[info.inputs[i].node] = 1;
            }
        }
    }
    return TN_OK;
}

static tn_status collect(const tn_host *host, const tn_graph *graph, const uint8_t *auxiliaries,
                         struct collection *collection) {
    const tn_graph_service *graphs = TN_SERVICE(host, graph);
    const uint32_t node_count = graphs->node_count(host, graph);
    char *name = (char *)(collection->tensors + collection->count);
    tn_named_tensor *next = collection->tensors;
    for (uint32_t node = 0; node < node_count; node++) {
        tn_tensor *tensor = graphs->parameter(host, graph, node);
        if (tensor == NULL) {
            continue;
        }
        tn_node_info info;
        TN_TRY(get_node(host, graph, node, &info));
        const size_t size = PREFIX_LENGTH + strlen(info.name) + 1;
        snprintf(name, size, "%s%s", auxiliaries[node] ? AUXILIARY_PREFIX : ARGUMENT_PREFIX,
                 info.name);
        *next++ = (tn_named_tensor){name, tensor};
        name += size;
    }
    return TN_OK;
}

static tn_status write_file(const tn_host *host, const struct collection *collection,
                            const char *path) {
    struct output_file file;
    TN_TRY(output_file_open(host, path, &file));
    const tn_status status = params_write(host, collection->tensors, collection->count, &file.sink);
    return output_file_close(&file, status);
}

tn_status graph_parameters_write(const tn_host *host, const tn_graph *graph, const char *path) {
    struct collection collection = {NULL, 0, 0};
    TN_TRY(measure(host, graph, &collection));
    if (collection.count == 0) {
        return TN_OK;
    }
    const uint64_t list_bytes = collection.count * sizeof(tn_named_tensor) + collection.name_bytes;
    void *memory;
    TN_TRY(tn_allocate(host, list_bytes + TN_SERVICE(host, graph)->node_count(host, graph), 1,
                       &memory));
    collection.tensors = memory;
    uint8_t *auxiliaries = (uint8_t *)memory + list_bytes;
    tn_status status = mark_auxiliaries(host, graph, auxiliaries);
    if (status == TN_OK) {
        status = collect(host, graph, auxiliaries, &collection);
    }
    if (status == TN_OK) {
        status = write_file(host, &collection, path);
    }
    tn_free(host, memory);
    return status;
}
