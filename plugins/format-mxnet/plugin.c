/*
 * The format "mxnet": symbols (PREFIX-symbol.json) with their parameters (PREFIX-0000.params), and
 * lists of arrays (.params, .nd), of every version from 0.7 on.
 */
#include "companion.h"
#include "file.h"
#include "graph_parameters.h"
#include "params.h"
#include "symbol.h"

struct mxnet_options {
    const char *params;
    int64_t epoch;
};

static const tn_attribute options[] = {
    TN_FIELD_OR_NONE(struct mxnet_options, params, STRING, "None", NULL,
                     "The file with the parameters; by default it is looked for beside the "
                     "symbol, PREFIX-NNNN.params for PREFIX-symbol.json."),
    TN_FIELD_OR_NONE(struct mxnet_options, epoch, INT, "None", "[0,999999999]",
                     "The number NNNN of the parameters; by default the highest one when reading, "
                     "and 0 when writing."),
};

static int is_array_list(const tn_source *source) {
    uint64_t magic = 0;
    if (source->size >= sizeof magic) {
        memcpy(&magic, source->data, sizeof magic);
    }
    return magic == PARAMS_MAGIC;
}

static int contains(const tn_source *source, const char *text) {
    const char *data = source->data;
    const size_t length = strlen(text);
    for (uint64_t i = 0; i + length <= source->size; i++) {
        if (data[i] == text[0] && memcmp(data + i, text, length) == 0) {
            return 1;
        }
    }
    return 0;
}

static int ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), ending_length = strlen(ending);
    return length >= ending_length && strcmp(path + length - ending_length, ending) == 0;
}

static int32_t recognise(const tn_host *host, const tn_source *source) {
    (void)host;
    if (is_array_list(source)) {
        return 100;
    }
    const char *path = source->path != NULL ? source->path : "";
    const int is_named_symbol = ends_with(path, "-symbol.json");
    if (contains(source, "\"nodes\"") && contains(source, "\"op\"") &&
        contains(source, "\"inputs\"")) {
        return is_named_symbol ? 95 : 60;
    }
    return is_named_symbol || ends_with(path, ".params") || ends_with(path, ".nd");
}

static struct companion_choice companion_choice(const struct mxnet_options *given) {
    return (struct companion_choice){given->params, given->epoch};
}

static tn_status read_parameters(const tn_host *host, const char *symbol_path,
                                 const struct mxnet_options *given, tn_graph *graph) {
    const struct companion_choice choice = companion_choice(given);
    char path[COMPANION_PATH_SIZE];
    TN_TRY(companion_find(host, symbol_path, &choice, path));
    if (path[0] == '\0') {
        tn_log(host, TN_LOG_INFO, "no parameters beside the symbol: the graph has none");
        return TN_OK;
    }
    tn_source source;
    TN_TRY(source_open(host, path, &source));
    tn_log(host, TN_LOG_DEBUG, "parameters from '%.300s'", path);
    const tn_status status = graph_parameters_read(host, graph, path, source.data, source.size);
    source_close(host, &source);
    return status;
}

static tn_status read_graph(const tn_host *host, const tn_source *source, const void *given,
                            tn_graph *graph) {
    if (is_array_list(source)) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "this is a list of arrays, not a graph: give the file PREFIX-symbol.json, "
                       "and this one as its option params");
    }
    struct symbol_file symbol;
    TN_TRY(symbol_parse(host, source->data, source->size, &symbol));
    const tn_status status = symbol_build(host, &symbol, graph);
    symbol_release(&symbol);
    return status == TN_OK ? read_parameters(host, source->path, given, graph) : status;
}

static tn_status write_graph(const tn_host *host, const tn_graph *graph, const void *given,
                             const char *path) {
    const struct companion_choice choice = companion_choice(given);
    char params_path[COMPANION_PATH_SIZE];
    TN_TRY(companion_name(host, path, &choice, params_path));
    struct output_file file;
    TN_TRY(output_file_open(host, path, &file));
    tn_status status = symbol_write(host, graph, &file.sink);
    if (status == TN_OK) {
        status = graph_parameters_write(host, graph, params_path);
    }
    return output_file_close(&file, status);
}

static tn_status read_tensors(const tn_host *host, const tn_source *source,
                              const tn_tensor_sink *sink) {
    return params_read(host, "", source->data, source->size, sink);
}

static const tn_format mxnet = {
    .struct_size = TN_FORMAT_SIZE,
    .flags = TN_FORMAT_SPARSE,
    .doc = "Apache MXNet's symbols with their parameters, and its lists of arrays.",
    .extensions = "-symbol.json,.params,.nd",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .option_stride = TN_ATTRIBUTE_STRIDE,
    .options_size = sizeof(struct mxnet_options),
    .recognise = recognise,
    .read_graph = read_graph,
    .write_graph = write_graph,
    .read_tensors = read_tensors,
    .write_tensors = params_write,
};

static const tn_entry entries[] = {TN_ENTRY_FORMAT("mxnet", &mxnet)};

TN_PLUGIN_WITH("format-mxnet", "0.1.0", "error/1,memory/1,tensor/1,sparse/1,graph/1", "log/1", NULL,
               NULL, entries);
