/*
 * Symbol files. They stay the JSON that they are: symbol_parse checks all of it once, so that the
 * builder can take it apart without a doubt.
 */
#ifndef FORMAT_MXNET_SYMBOL_H
#define FORMAT_MXNET_SYMBOL_H

#include <jansson.h>
#include <tenon/plugin.h>

/* The version of a file that names none, and the newest whose rules are known here. Versions are
 * major * 10000 + minor * 100 + patch. */
#define SYMBOL_VERSION_UNMARKED 800
#define SYMBOL_VERSION_NEWEST 20000

/* The version that symbol_write says. */
#define SYMBOL_VERSION_WRITTEN 10901

/* How deep graphs may lie in nodes of graphs. */
enum { SYMBOL_MAX_NESTING = 16 };

struct symbol_file {
    json_t *root;
    int64_t version;
    int32_t numpy_shapes; /* an extent of 0 is empty, not unknown */
};

tn_status symbol_parse(const tn_host *host, const void *data, uint64_t size,
                       struct symbol_file *out_file);
void symbol_release(struct symbol_file *file);

/* Adds the nodes that the outputs need to an empty graph. */
tn_status symbol_build(const tn_host *host, const struct symbol_file *file, tn_graph *graph);

tn_status symbol_write(const tn_host *host, const tn_graph *graph, const tn_byte_sink *sink);

/* The parts of a checked graph object. */

static inline json_t *symbol_nodes(const json_t *graph) {
    return json_object_get(graph, "nodes");
}

static inline uint32_t symbol_node_count(const json_t *graph) {
    return (uint32_t)json_array_size(symbol_nodes(graph));
}

static inline json_t *symbol_node(const json_t *graph, uint32_t index) {
    return json_array_get(symbol_nodes(graph), index);
}

static inline int symbol_is_variable(const json_t *node) {
    return strcmp(json_string_value(json_object_get(node, "op")), "null") == 0;
}

/* An entry [node, output] or [node, output, version] of a list of inputs or heads. */
static inline tn_value symbol_entry(const json_t *entries, size_t index) {
    const json_t *entry = json_array_get(entries, index);
    return (tn_value){(uint32_t)json_integer_value(json_array_get(entry, 0)),
                      (uint32_t)json_integer_value(json_array_get(entry, 1))};
}

/* The dictionary with the attributes; `param` of files before 0.9 stands beside it. */
static inline json_t *symbol_attributes(const json_t *node) {
    json_t *attributes = json_object_get(node, "attrs");
    return attributes != NULL ? attributes : json_object_get(node, "attr");
}

#endif
