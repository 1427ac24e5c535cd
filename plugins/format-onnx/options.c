/* The attributes of a node to be made, as texts. */
#include "translate.h"

struct onnx_options onnx_options(const struct onnx_node *node) {
    return (struct onnx_options){.host = node->host};
}

/* Takes `text` over. */
static void add_text(struct onnx_options *options, const char *name, char *text) {
    if (options->count == ONNX_MAX_OPTIONS) {
        options->status =
            tn_fail(options->host, TN_INTERNAL, "more than %d attributes", ONNX_MAX_OPTIONS);
        tn_free(options->host, text);
        return;
    }
    options->texts[options->count] = text;
    options->items[options->count++] = (tn_option){name, text};
}

static char *room(struct onnx_options *options, uint64_t size) {
    void *text = NULL;
    if (options->status == TN_OK) {
        options->status = tn_allocate(options->host, size, 1, &text);
    }
    return text;
}

void onnx_option_int(struct onnx_options *options, const char *name, int64_t value) {
    char *text = room(options, 24);
    if (text != NULL) {
        snprintf(text, 24, "%lld", (long long)value);
        add_text(options, name, text);
    }
}

void onnx_option_float(struct onnx_options *options, const char *name, double value) {
    char *text = room(options, 32);
    if (text != NULL) {
        snprintf(text, 32, "%.17g", value);
        add_text(options, name, text);
    }
}

void onnx_option_text(struct onnx_options *options, const char *name, const char *value) {
    const size_t size = strlen(value) + 1;
    char *text = room(options, size);
    if (text != NULL) {
        memcpy(text, value, size);
        add_text(options, name, text);
    }
}

void onnx_option_ints(struct onnx_options *options, const char *name, const int64_t *values,
                      uint32_t count) {
    const size_t size = (size_t)count * 24 + 4;
    char *text = room(options, size);
    if (text != NULL) {
        size_t used = (size_t)snprintf(text, size, "(");
        for (uint32_t i = 0; i < count; i++) {
            used += (size_t)snprintf(text + used, size - used, "%lld,", (long long)values[i]);
        }
        snprintf(text + used, size - used, ")");
        add_text(options, name, text);
    }
}

void onnx_option_floats(struct onnx_options *options, const char *name, const float *values,
                        uint32_t count) {
    const size_t size = (size_t)count * 24 + 4;
    char *text = room(options, size);
    if (text != NULL) {
        size_t used = (size_t)snprintf(text, size, "(");
        for (uint32_t i = 0; i < count; i++) {
            used += (size_t)snprintf(text + used, size - used, "%.9g,", (double)values[i]);
        }
        snprintf(text + used, size - used, ")");
        add_text(options, name, text);
    }
}

void onnx_options_finish(struct onnx_options *options) {
    for (uint32_t i = 0; i < options->count; i++) {
        tn_free(options->host, options->texts[i]);
    }
    options->count = 0;
}
