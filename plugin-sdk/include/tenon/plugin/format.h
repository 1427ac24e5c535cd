/*
 * Kind "format", version 1: reads and writes a file format, for graphs (with their parameters) or
 * for lists of named tensors, or both. The entry's name is the format's name ("mxnet", "npy").
 *
 * What a format reads is hostile: it checks every size before it takes memory, bounds recursion,
 * and answers CORRUPT with the place and what was expected there [TN-REQ-060].
 */
#ifndef TENON_PLUGIN_FORMAT_H
#define TENON_PLUGIN_FORMAT_H

#include <tenon/plugin/attribute.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

/* Bytes to look at, all of the file for `read_…`, the first 4096 at most for `recognise`. They live
 * until the call returns; tensors that the service `tensor` makes of them (of_bytes) may stay in
 * the file's memory. */
typedef struct tn_source {
    uint32_t struct_size;
    uint32_t reserved;
    const char *path; /* NULL when the bytes come from memory */
    const void *data;
    uint64_t size;
    void *internal; /* the host's; NULL when the bytes come from memory */
} tn_source;

/* A growing list of named tensors. */
typedef struct tn_tensor_sink {
    uint32_t struct_size;
    uint32_t reserved;
    void *context;
    /* Takes a count of its own on the tensor. `name` may be NULL: the list has no names. */
    tn_status (*add)(void *context, const char *name, tn_tensor *tensor);
} tn_tensor_sink;

/* Where bytes go. */
typedef struct tn_byte_sink {
    uint32_t struct_size;
    uint32_t reserved;
    void *context;
    tn_status (*write)(void *context, const void *data, uint64_t size);
} tn_byte_sink;

typedef struct tn_named_tensor {
    const char *name; /* NULL: none has a name */
    tn_tensor *tensor;
} tn_named_tensor;

/* `write_tensors` and `write_graph` take sparse tensors (sparse.h). To a format without this flag
 * the host gives dense ones alone: it refuses to write others [TN-REQ-113]. */
#define TN_FORMAT_SPARSE 1u

typedef struct tn_format {
    uint32_t struct_size;
    uint32_t flags; /* TN_FORMAT_… */
    const char *doc;
    const char *extensions; /* file name endings, separated by ',': "-symbol.json,.params" */

    /* Options of read_graph and write_graph, or none. */
    const tn_attribute *options;
    uint32_t option_count;
    uint32_t option_stride;
    uint64_t options_size;

    /* [any] How sure the format is that it can read these bytes: 0 no, 1 by its name alone, 100
     * certain. Required. */
    int32_t (*recognise)(const tn_host *host, const tn_source *source);

    /* [any] Any of the following is NULL when the format cannot do it. */

    /* Builds the graph, with parameters, through the `graph` service. Companion files (weights
     * beside a symbol) are the format's business: it finds them from source->path or its options,
     * and refuses to leave the folder of the file. `options` is the parsed struct. */
    tn_status (*read_graph)(const tn_host *host, const tn_source *source, const void *options,
                            tn_graph *graph);
    /* Writes the graph to `path` and its companions beside it. */
    tn_status (*write_graph)(const tn_host *host, const tn_graph *graph, const void *options,
                             const char *path);
    tn_status (*read_tensors)(const tn_host *host, const tn_source *source,
                              const tn_tensor_sink *sink);
    tn_status (*write_tensors)(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                               const tn_byte_sink *sink);
} tn_format;

#define TN_FORMAT_VERSION 1u
#define TN_FORMAT_SIZE TN_STRUCT_END(tn_format, write_tensors)
#define TN_ENTRY_FORMAT(NAME, IMPL)                                                                \
    { TN_KIND_FORMAT, NAME, TN_FORMAT_VERSION, 0, IMPL }

#endif
