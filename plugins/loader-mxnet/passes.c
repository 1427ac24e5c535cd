#include "passes.h"

#include <malloc.h>

#include "dtype.h"
#include "graph_apply.h"
#include "graph_arrays.h"
#include "graph_json.h"
#include "operators.h"

enum { MAX_PASSES = 4096 };

struct extension_pass {
    struct extension *extension;
    const char *name;
    extension_function function;
    tn_pass pass;
};

struct pass_options {
    tn_options given;
};

static const tn_attribute option_table[] = {
    TN_FIELD(struct pass_options, given, REST, "", NULL, "Whatever the library understands."),
};

/* The parameters that a pass has asked for. */
struct made_parameters {
    const tn_host *host;
    struct new_parameter *items;
    uint32_t count, capacity;
};

static int reserve(struct made_parameters *made) {
    if (made->count < made->capacity) {
        return 1;
    }
    const uint32_t capacity = made->capacity * 2 + 8;
    struct new_parameter *items =
        TN_SERVICE(made->host, memory)->allocate(made->host, capacity * sizeof *items);
    if (items == NULL) {
        return 0;
    }
    if (made->count > 0) {
        memcpy(items, made->items, made->count * sizeof *items);
    }
    TN_SERVICE(made->host, memory)->free(made->host, made->items);
    made->items = items;
    made->capacity = capacity;
    return 1;
}

static char *copy_text(const tn_host *host, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = TN_SERVICE(host, memory)->allocate(host, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

/* Called back by the library, which asks for room for a new parameter. Without an answer it has a
 * pointer to nothing. */
static void make_parameter(const void *context, const int64_t *shape, int rank, const char *device,
                           int device_index, int dtype, const char *name, int is_argument,
                           void **out_data) {
    struct made_parameters *made = (struct made_parameters *)(uintptr_t)context;
    const tn_host *host = made->host;
    (void)device_index, (void)is_argument;
    *out_data = NULL;
    if (rank < 0 || rank > TN_MAX_RANK || dtype < 0 || dtype >= EXTENSION_DTYPE_COUNT ||
        name == NULL || (device != NULL && strcmp(device, "cpu") != 0) || !reserve(made)) {
        return;
    }
    struct new_parameter item = {copy_text(host, name), NULL};
    if (item.name == NULL ||
        TN_SERVICE(host, tensor)
                ->create(host, extension_dtypes[dtype], rank, shape, &item.tensor) != TN_OK) {
        TN_SERVICE(host, memory)->free(host, (void *)(uintptr_t)item.name);
        return;
    }
    const tn_view *view = TN_SERVICE(host, tensor)->view(host, item.tensor);
    memset(tn_data(view), 0, tn_byte_size(view));
    made->items[made->count++] = item;
    *out_data = tn_data(view);
}

static void free_parameters(struct made_parameters *made) {
    for (uint32_t i = 0; i < made->count; i++) {
        TN_SERVICE(made->host, memory)->free(made->host, (void *)(uintptr_t)made->items[i].name);
        TN_SERVICE(made->host, tensor)->release(made->host, made->items[i].tensor);
    }
    TN_SERVICE(made->host, memory)->free(made->host, made->items);
}

/* What the library made of the graph. Its text has no end in version 7; it lies in a block of the
 * C library, whose size bounds the search for one. */
static tn_status take_result(const struct extension_pass *pass, tn_pass_call *call, char *json,
                             const struct made_parameters *made) {
    char what[128];
    snprintf(what, sizeof what, "pass %.100s", pass->name);
    if (json == NULL) {
        return extension_is_wrong(pass->extension, call->host, what, "it gave no graph");
    }
    const size_t size = graph_json_length(json, malloc_usable_size(json));
    if (size == 0) {
        return extension_is_wrong(pass->extension, call->host, what,
                                  "it gave a text that is no graph");
    }
    return graph_apply(call->host, call->graph, json, size, made->items, made->count);
}

static tn_status run_library(const struct extension_pass *pass, tn_pass_call *call,
                             const struct graph_json *json, const struct graph_arrays *arrays) {
    const struct pass_options *given = call->options;
    struct made_parameters made = {.host = call->host};
    struct call_options options;
    struct call_words words;
    char *result_json = NULL, what[128];
    TN_TRY(op_options_create(call->host, &given->given, &options));
    snprintf(what, sizeof what, "pass %.100s", pass->name);
    const int result = call_pass(&pass->extension->exports, pass->function, pass->name, json->text,
                                 &options, &arrays->arguments, &arrays->auxiliaries, make_parameter,
                                 &made, &result_json, &words);
    const tn_status status =
        result == EXTENSION_SUCCEEDED
            ? take_result(pass, call, result_json, &made)
            : extension_failed(pass->extension, call->host, TN_INTERNAL, what, result, &words);
    if (result_json != NULL) {
        call_free(&pass->extension->exports, result_json);
    }
    free_parameters(&made);
    op_options_destroy(call->host, &options);
    return status;
}

static tn_status run(tn_pass_call *call) {
    const struct extension_pass *pass = call->pass->context;
    struct graph_json json;
    struct graph_arrays arrays;
    TN_TRY(graph_json_write(call->host, call->graph, pass->extension->version, &json));
    tn_status status = graph_arrays_create(call->host, call->graph, &arrays);
    if (status == TN_OK) {
        status = run_library(pass, call, &json, &arrays);
        graph_arrays_destroy(call->host, &arrays);
    }
    graph_json_destroy(call->host, &json);
    return status;
}

static tn_status add_pass(struct extension *extension, int index) {
    struct extension_pass *pass = extension_allocate_memory(extension, 1, sizeof *pass);
    if (pass == NULL) {
        return tn_fail(extension->host, TN_OUT_OF_MEMORY, "no memory for a pass");
    }
    pass->extension = extension;
    extension->exports.pass(index, &pass->function, &pass->name);
    if (pass->function == NULL || pass->name == NULL) {
        char what[64];
        snprintf(what, sizeof what, "pass number %d", index);
        return extension_is_wrong(extension, extension->host, what,
                                  "it has no name or no function");
    }
    pass->pass = (tn_pass){.struct_size = TN_PASS_SIZE,
                           .flags = TN_PASS_CHANGES_OUTPUTS,
                           .doc = "A graph pass of an MXNet extension library.",
                           .options = option_table,
                           .option_count = 1,
                           .option_stride = TN_ATTRIBUTE_STRIDE,
                           .options_size = sizeof(struct pass_options),
                           .run = run,
                           .context = pass};
    return extension_add_entry(extension, TN_KIND_PASS, pass->name, TN_PASS_VERSION,
                               TN_ENTRY_OVERRIDES, &pass->pass);
}

tn_status passes_add(struct extension *extension) {
    const int count = extension->exports.pass_count();
    if (count < 0 || count > MAX_PASSES) {
        return extension_is_wrong(extension, extension->host, "_passRegSize", "it gave %d", count);
    }
    for (int i = 0; i < count; i++) {
        TN_TRY(add_pass(extension, i));
    }
    return TN_OK;
}
