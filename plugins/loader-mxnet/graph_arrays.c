#include "graph_arrays.h"

#include "dtype.h"

/* The dense tensor of a variable that libraries can be told of, or NULL. */
static const tn_view *view_of(const tn_host *host, const tn_graph *graph, uint32_t node,
                              tn_node_info *out_info) {
    out_info->struct_size = TN_NODE_INFO_SIZE;
    if (TN_SERVICE(host, graph)->node_info(host, graph, node, out_info) != TN_OK ||
        out_info->op != NULL) {
        return NULL;
    }
    const tn_tensor *tensor = TN_SERVICE(host, graph)->parameter(host, graph, node);
    const tn_view *view = tensor != NULL ? TN_SERVICE(host, tensor)->view(host, tensor) : NULL;
    return view != NULL && view->data != NULL &&
                   TN_SERVICE(host, sparse)->storage(host, tensor) == TN_STORAGE_DENSE &&
                   view->device.type == TN_DEVICE_TYPE_CPU && extension_dtype(view->dtype) >= 0
               ? view
               : NULL;
}

static void *take(char **at, uint32_t count, size_t size) {
    void *memory = *at;
    *at += (count * size + 15) / 16 * 16;
    return memory;
}

static void lay_out(struct call_arrays *arrays, uint32_t count, char **at) {
    arrays->names = take(at, count, sizeof *arrays->names);
    arrays->data = take(at, count, sizeof *arrays->data);
    arrays->shapes = take(at, count, sizeof *arrays->shapes);
    arrays->ranks = take(at, count, sizeof *arrays->ranks);
    arrays->dtypes = take(at, count, sizeof *arrays->dtypes);
    arrays->ids = take(at, count, sizeof *arrays->ids);
    arrays->devices = take(at, count, sizeof *arrays->devices);
    arrays->device_indices = take(at, count, sizeof *arrays->device_indices);
}

static void add(struct call_arrays *arrays, const char *name, const tn_view *view) {
    const int i = arrays->count++;
    arrays->names[i] = name;
    arrays->data[i] = tn_data(view);
    arrays->shapes[i] = view->shape;
    arrays->ranks[i] = view->rank;
    arrays->dtypes[i] = extension_dtype(view->dtype);
    arrays->ids[i] = 1;
    arrays->devices[i] = "cpu";
    arrays->device_indices[i] = 0;
}

tn_status graph_arrays_create(const tn_host *host, const tn_graph *graph,
                              struct graph_arrays *out_arrays) {
    const uint32_t node_count = TN_SERVICE(host, graph)->node_count(host, graph);
    tn_node_info info;
    uint32_t count = 0;
    for (uint32_t i = 0; i < node_count; i++) {
        count += view_of(host, graph, i, &info) != NULL;
    }
    const size_t each = 4 * sizeof(void *) + 3 * sizeof(int) + sizeof(size_t);
    const size_t room = 2 * (count * each + 8 * 16);
    struct graph_arrays arrays = {.memory = TN_SERVICE(host, memory)->allocate(host, room)};
    if (arrays.memory == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for the parameters of a graph");
    }
    char *at = arrays.memory;
    lay_out(&arrays.arguments, count, &at);
    lay_out(&arrays.auxiliaries, count, &at);
    for (uint32_t i = 0; i < node_count; i++) {
        const tn_view *view = view_of(host, graph, i, &info);
        if (view != NULL) {
            const int is_auxiliary =
                TN_SERVICE(host, graph)->variable_kind(host, graph, i) == TN_VARIABLE_AUXILIARY;
            add(is_auxiliary ? &arrays.auxiliaries : &arrays.arguments, info.name, view);
        }
    }
    *out_arrays = arrays;
    return TN_OK;
}

void graph_arrays_destroy(const tn_host *host, struct graph_arrays *arrays) {
    TN_SERVICE(host, memory)->free(host, arrays->memory);
}
