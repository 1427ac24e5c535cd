/*
 * Graphs from and to files: through the format plugin that recognises the bytes or is named, or as
 * Tenon's own JSON with the parameters in an .npz beside it.
 */
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/format.h>

#include "base/error.h"
#include "base/file.h"
#include "graph/graph.h"
#include "graph/json.h"
#include "plugin/attributes.h"
#include "tensor/formats.h"
#include "tensor/source.h"

static tni_attribute_table option_table(const tn_format *format) {
    return (tni_attribute_table){format->options, format->option_count, format->option_stride};
}

/* Parses the options of a call into the format's struct, in `arena`. */
static tn_status parse_options(const tni_entry *entry, const tn_option *options, uint32_t count,
                               tni_arena *arena, void **out_parsed) {
    const tn_format *format = entry->entry->impl;
    const tni_attribute_table table = option_table(format);
    *out_parsed = tni_arena_allocate(arena, 1, format->options_size);
    if (*out_parsed == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    return tni_in(tni_attributes_parse(&table, options, count, arena, *out_parsed),
                  "options of format %s", entry->entry->name);
}

/* Those that use a format take a lease of their own. */
static const tni_entry *without_lease(const tni_entry *entry) {
    if (entry != NULL) {
        tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    }
    return entry;
}

static tn_status read_with(tn_runtime *runtime, const tni_entry *entry, const tn_source *source,
                           const tn_option *options, uint32_t option_count, tn_graph **out_graph) {
    const tn_format *format = entry->entry->impl;
    tni_arena arena = {0};
    void *parsed;
    tn_graph *graph = NULL;
    TNI_TRY(tni_plugin_acquire(entry->plugin, TNI_HOLDER_CALL));
    tn_status status = parse_options(entry, options, option_count, &arena, &parsed);
    if (status == TN_OK) {
        status = tn_graph_create(runtime, &graph);
    }
    if (status == TN_OK) {
        tni_error_clear();
        status = format->read_graph(&entry->plugin->host, source, parsed, graph);
        status = tni_error_complete(status);
    }
    if (status == TN_OK) {
        status = tn_graph_verify(graph);
    }
    tni_arena_finish(&arena);
    tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    if (status != TN_OK) {
        tn_graph_destroy(graph);
        return status;
    }
    *out_graph = graph;
    return TN_OK;
}

/* "a/b.json" and "c.npz" make "a/c.npz". A companion stays in the folder of its file. */
static tn_status companion_path(const char *path, const char *name, char *buffer, size_t size) {
    if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, "..") == 0) {
        return tni_fail(TN_CORRUPT,
                        "parameters \"%.200s\": expected a file name in the same folder", name);
    }
    const char *slash = strrchr(path, '/');
    const int folder = slash == NULL ? 0 : (int)(slash - path + 1);
    if (snprintf(buffer, size, "%.*s%s", folder, path, name) >= (int)size) {
        return tni_fail(TN_INVALID_ARGUMENT, "the path is longer than %zu bytes", size);
    }
    return TN_OK;
}

static tn_status read_parameters(tn_runtime *runtime, const char *path, const char *name,
                                 tn_graph *graph) {
    char companion[4096];
    tn_tensor_list *list = NULL;
    TNI_TRY(companion_path(path, name, companion, sizeof companion));
    TNI_TRY(tn_tensor_list_read(runtime, companion, &list));
    tn_status status = TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < tn_tensor_list_count(list); i++) {
        const char *parameter = tn_tensor_list_name(list, i);
        status = tn_graph_set_parameter(graph, parameter == NULL ? "" : parameter,
                                        tn_tensor_list_get(list, i));
    }
    tn_tensor_list_destroy(list);
    return tni_in(status, "%s", companion);
}

static tn_status read_own(tn_runtime *runtime, const tn_source *source, tn_graph **out_graph) {
    char *parameters = NULL;
    tn_graph *graph = NULL;
    TNI_TRY(tni_graph_read_json(runtime, source->data, source->size, &graph, &parameters));
    tn_status status = TN_OK;
    if (parameters != NULL) {
        status = read_parameters(runtime, source->path, parameters, graph);
    }
    if (status == TN_OK) {
        status = tn_graph_verify(graph);
    }
    tni_free(parameters);
    if (status != TN_OK) {
        tn_graph_destroy(graph);
        return status;
    }
    *out_graph = graph;
    return TN_OK;
}

static tn_status find_format(tn_runtime *runtime, const char *format, const tn_source *source,
                             const tni_entry **out_entry) {
    const tni_entry *entry =
        format != NULL ? tni_registry_find(runtime, TN_KIND_FORMAT, format)
                       : without_lease(tni_format_surest(runtime, TNI_READ_GRAPH, true, source));
    if (entry == NULL && format != NULL) {
        char refusal[TNI_REFUSAL_SIZE];
        return tni_fail(TN_NOT_FOUND, "no plugin offers the format %s%s", format,
                        tni_registry_refusal(runtime, TN_KIND_FORMAT, format, refusal));
    }
    if (entry == NULL) {
        return tni_fail(TN_UNSUPPORTED,
                        "no format that is loaded recognises it; name one, or load the plugin of "
                        "its format (`tenon plugin list` shows what there is)");
    }
    const tn_format *implementation = entry->entry->impl;
    if (!TN_HAS_FIELD(tn_format, implementation, read_graph) ||
        implementation->read_graph == NULL) {
        return tni_fail(TN_UNSUPPORTED, "format %s does not read graphs", format);
    }
    *out_entry = entry;
    return TN_OK;
}

tn_status tn_graph_read(tn_runtime *runtime, const char *path, const char *format,
                        const tn_option *options, uint32_t option_count, tn_graph **out_graph) {
    tn_source source;
    TNI_TRY(tni_in(tni_source_open(runtime, path, &source), "read model"));
    const bool own = format == NULL ? tni_json_recognise(source.data, source.size)
                                    : strcmp(format, "tenon") == 0;
    tn_status status;
    if (own) {
        status = read_own(runtime, &source, out_graph);
    } else {
        const tni_entry *entry;
        status = find_format(runtime, format, &source, &entry);
        if (status == TN_OK) {
            status = read_with(runtime, entry, &source, options, option_count, out_graph);
        }
    }
    tni_source_close(runtime, &source);
    return tni_in(status, "read model: %s", path);
}

static tn_status write_parameters(const tn_graph *graph, const char *path, bool *out_any) {
    tn_tensor_list *list;
    TNI_TRY(tn_tensor_list_create(graph->runtime, &list));
    tn_status status = TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < graph->node_count; i++) {
        if (graph->nodes[i]->parameter != NULL) {
            status = tn_tensor_list_add(list, graph->nodes[i]->name, graph->nodes[i]->parameter);
        }
    }
    *out_any = tn_tensor_list_count(list) > 0;
    if (status == TN_OK && *out_any) {
        status = tn_tensor_list_write(list, path, "npz");
    }
    tn_tensor_list_destroy(list);
    return status;
}

static tn_status write_text(const char *path, const tni_text *text) {
    tni_writer writer;
    TNI_TRY(tni_writer_open(&writer, path));
    tn_status status = tni_writer_write(&writer, text->data, text->size);
    if (status == TN_OK) {
        status = tni_writer_commit(&writer);
    }
    tni_writer_finish(&writer);
    return status;
}

static tn_status write_own(const tn_graph *graph, const char *path) {
    char companion[4096];
    const size_t stem = tni_ends_with_any(path, ".json") ? strlen(path) - 5 : strlen(path);
    if (snprintf(companion, sizeof companion, "%.*s.npz", (int)stem, path) >=
        (int)sizeof companion) {
        return tni_fail(TN_INVALID_ARGUMENT, "the path is longer than %zu bytes", sizeof companion);
    }
    const char *slash = strrchr(companion, '/');
    bool any;
    tni_text text = {0};
    TNI_TRY(write_parameters(graph, companion, &any));
    tn_status status =
        tni_graph_write_json(graph, any ? (slash == NULL ? companion : slash + 1) : NULL, &text);
    if (status == TN_OK) {
        status = write_text(path, &text);
    }
    tni_text_finish(&text);
    return status;
}

static tn_status write_with(const tn_graph *graph, const tni_entry *entry, const char *path,
                            const tn_option *options, uint32_t option_count) {
    const tn_format *format = entry->entry->impl;
    tni_arena arena = {0};
    void *parsed;
    if (!TN_HAS_FIELD(tn_format, format, write_graph) || format->write_graph == NULL) {
        return tni_fail(TN_UNSUPPORTED, "format %s does not write graphs", entry->entry->name);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i]->parameter != NULL) {
            TNI_TRY(tni_in(tni_format_takes(entry, graph->nodes[i]->parameter), "'%s'",
                           graph->nodes[i]->name));
        }
    }
    TNI_TRY(tni_plugin_acquire(entry->plugin, TNI_HOLDER_CALL));
    tn_status status = parse_options(entry, options, option_count, &arena, &parsed);
    if (status == TN_OK) {
        tni_error_clear();
        status = format->write_graph(&entry->plugin->host, graph, parsed, path);
        status = tni_error_complete(status);
    }
    tni_arena_finish(&arena);
    tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
    return status;
}

static tn_status write_model(const tn_graph *graph, const char *path, const char *format,
                             const tn_option *options, uint32_t option_count) {
    tn_status status = tn_graph_verify(graph);
    const tni_entry *entry = NULL;
    if (status == TN_OK && format != NULL && strcmp(format, "tenon") != 0) {
        entry = tni_registry_find(graph->runtime, TN_KIND_FORMAT, format);
        if (entry == NULL) {
            status = tni_fail(TN_NOT_FOUND, "no plugin offers the format %s", format);
        }
    } else if (status == TN_OK && format == NULL) {
        entry = without_lease(tni_format_with_ending(graph->runtime, TNI_WRITE_GRAPH, path));
        if (entry == NULL && !tni_ends_with_any(path, ".json")) {
            status = tni_fail(TN_UNSUPPORTED,
                              "no format that is loaded writes graphs to such a name; name a "
                              "format, or use the ending .json for Tenon's own");
        }
    }
    if (status == TN_OK) {
        status = entry != NULL ? write_with(graph, entry, path, options, option_count)
                               : write_own(graph, path);
    }
    return status;
}

tn_status tn_graph_write(const tn_graph *graph, const char *path, const char *format,
                         const tn_option *options, uint32_t option_count) {
    tn_graph *copy = NULL; /* numbers in a file have no holes */
    tn_status status = tni_graph_clone(graph, TNI_HOLDER_GRAPH, &copy);
    if (status == TN_OK) {
        if (tn_graph_infer(copy, NULL, 0) != TN_OK) { /* what types follow from the graph alone */
            tni_error_clear();
        }
        status = write_model(copy, path, format, options, option_count);
    }
    tn_graph_destroy(copy);
    return tni_in(status, "write model: %s", path);
}
