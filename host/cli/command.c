#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tenon/plugin/helpers.h>

const cli_option cli_common_options[] = {
    {"--plugin", "FILE", "load this plugin, or all of a directory, first; repeatable"},
    {"--plugin-path", "DIRECTORY", "the same, for a directory"},
    {"--allow-override", NULL, "let a plugin replace another's entry, when it says that it does"},
    {"--allow-writable", NULL, "load plugin files that other users can change"},
    {"--threads", "COUNT", "threads that compute; all processors unless given"},
    {"--pin", NULL, "keep each thread on a processor of its own"},
    {"--no-map", NULL, "read files of models as a whole instead of mapping them"},
    {"--verbose", NULL, "print what the host and the plugins log"},
    {"--help", NULL, "print this, as does -h"},
};
const int cli_common_option_count = sizeof cli_common_options / sizeof cli_common_options[0];

const char *cli_value(const cli_arguments *arguments, const char *name) {
    const char *value = NULL;
    for (int i = 0; i < arguments->option_count; i++) {
        if (strcmp(arguments->options[i].name, name) == 0) {
            value = arguments->options[i].value;
        }
    }
    return value;
}

bool cli_has(const cli_arguments *arguments, const char *name) {
    for (int i = 0; i < arguments->option_count; i++) {
        if (strcmp(arguments->options[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool cli_count(const cli_arguments *arguments, const char *name, uint64_t most, uint64_t otherwise,
               uint64_t *out_count) {
    const char *text = cli_value(arguments, name);
    *out_count = otherwise;
    if (text == NULL) {
        return true;
    }
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < 1 || value > most) {
        cli_bad_usage("%s %s: expected a number from 1 to %llu", name, text,
                      (unsigned long long)most);
        return false;
    }
    *out_count = value;
    return true;
}

static void print_message(const char *format, va_list arguments) {
    fputs("tenon: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int cli_bad_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_fail_with(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    return CLI_FAILED;
}

int cli_fail(void) {
    return cli_fail_with("%s", tn_error_message());
}

static void write_log(void *context, uint32_t level, const char *source, const char *message) {
    static const char *const levels[] = {"debug", "info", "warning", "error"};
    const uint32_t least = *(const uint32_t *)context;
    if (level >= least) {
        fprintf(stderr, "%s: %s: %s\n", source, levels[level <= 3 ? level : 3], message);
    }
}

static tn_status load_plugins(tn_runtime *runtime, const cli_arguments *arguments) {
    const char **paths = calloc((size_t)arguments->option_count + 1, sizeof *paths);
    uint32_t count = 0;
    if (paths == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (int i = 0; i < arguments->option_count; i++) {
        const char *name = arguments->options[i].name;
        if (strcmp(name, "--plugin") == 0 || strcmp(name, "--plugin-path") == 0) {
            paths[count++] = arguments->options[i].value;
        }
    }
    const uint32_t flags = (cli_has(arguments, "--allow-override") ? TN_LOAD_ALLOW_OVERRIDE : 0) |
                           (cli_has(arguments, "--allow-writable") ? TN_LOAD_ALLOW_WRITABLE : 0) |
                           (cli_has(arguments, "--load") ? TN_LOAD_NOW : 0);
    const tn_status status = tn_plugin_load_all(runtime, paths, count, flags);
    free(paths);
    return status;
}

static bool set_seed(tn_runtime *runtime, const cli_arguments *arguments) {
    const char *text = cli_value(arguments, "--seed");
    char *end;
    errno = 0;
    const uint64_t seed = text == NULL ? 0 : strtoull(text, &end, 10);
    if (text != NULL && (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)) {
        cli_bad_usage("--seed %s: expected a number from 0 to %llu", text,
                      (unsigned long long)UINT64_MAX);
        return false;
    }
    tn_runtime_set_seed(runtime, seed);
    return true;
}

static tn_runtime *open_runtime(const cli_arguments *arguments, bool is_tolerant) {
    static const uint32_t all = TN_LOG_DEBUG, important = TN_LOG_WARNING;
    tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE, .log = write_log};
    options.log_context = (void *)(uintptr_t)(cli_has(arguments, "--verbose") ? &all : &important);
    uint64_t threads;
    tn_runtime *runtime = NULL;
    if (!cli_count(arguments, "--threads", CLI_MAX_THREADS, 0, &threads)) {
        return NULL;
    }
    options.thread_count = (uint32_t)threads;
    options.flags = (cli_has(arguments, "--pin") ? TN_RUNTIME_PINS_THREADS : 0) |
                    (cli_has(arguments, "--no-map") ? TN_RUNTIME_READS_FILES : 0);
    if (tn_runtime_create(&options, &runtime) != TN_OK) {
        cli_fail();
        return NULL;
    }
    if (!set_seed(runtime, arguments)) {
        tn_runtime_destroy(runtime);
        return NULL;
    }
    if (load_plugins(runtime, arguments) != TN_OK && !is_tolerant) {
        cli_fail();
        tn_runtime_destroy(runtime);
        return NULL;
    }
    return runtime;
}

tn_runtime *cli_open_runtime(const cli_arguments *arguments) {
    return open_runtime(arguments, false);
}

tn_runtime *cli_open_runtime_tolerant(const cli_arguments *arguments) {
    return open_runtime(arguments, true);
}

tn_graph *cli_read_model(tn_runtime *runtime, const cli_arguments *arguments, const char *path) {
    tn_graph *graph = NULL;
    tn_option *options = calloc((size_t)arguments->option_count + 1, sizeof *options);
    uint32_t count = 0;
    bool valid = options != NULL;
    for (int i = 0; valid && i < arguments->option_count; i++) {
        char *name;
        const char *value;
        if (strcmp(arguments->options[i].name, "--format-option") != 0) {
            continue;
        }
        valid = cli_split(arguments->options[i].value, &name, &value);
        if (valid) {
            options[count++] = (tn_option){name, value};
        }
    }
    if (!valid) { /* that '=' is there was checked before the command ran */
        cli_fail_with("out of memory");
    } else if (tn_graph_read(runtime, path, cli_value(arguments, "--format"), options, count,
                             &graph) != TN_OK) {
        cli_fail();
    }
    for (uint32_t i = 0; i < count; i++) {
        free((void *)(uintptr_t)options[i].name);
    }
    free(options);
    return graph;
}

tn_device *cli_open_device(tn_runtime *runtime, const cli_arguments *arguments) {
    const char *name = cli_value(arguments, "--device");
    tn_device *device = NULL;
    if (tn_device_open(runtime, name == NULL ? "cpu" : name, &device) != TN_OK) {
        cli_fail();
    }
    return device;
}

bool cli_split(const char *text, char **out_name, const char **out_rest) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        return false;
    }
    const size_t size = (size_t)(equals - text);
    char *name = malloc(size + 1);
    if (name == NULL) {
        return false;
    }
    memcpy(name, text, size);
    name[size] = '\0';
    *out_name = name;
    *out_rest = equals + 1;
    return true;
}

/* Digits with commas between them, in matching brackets or none, and nothing behind. */
static bool parse_shape(const char *text, tn_shape *shape) {
    const char close = text[0] == '(' ? ')' : text[0] == '[' ? ']' : '\0';
    *shape = (tn_shape){.rank = 0};
    text += close != '\0';
    if (close != '\0' && text[0] == close && text[1] == '\0') {
        return true;
    }
    while (shape->rank < TN_MAX_RANK && *text >= '0' && *text <= '9') {
        char *end;
        errno = 0;
        const long long extent = strtoll(text, &end, 10);
        if (errno != 0) {
            return false;
        }
        shape->extents[shape->rank++] = extent;
        if (*end != ',') {
            return *end == close && (close == '\0' || end[1] == '\0');
        }
        text = end + 1;
    }
    return false;
}

int cli_parse_named_shape(const char *text, char **out_name, tn_shape *out_shape) {
    const char *extents = strchr(text, '=');
    if (extents == NULL || extents == text || !parse_shape(extents + 1, out_shape)) {
        return cli_bad_usage("--shape %s: expected NAME=1,3,224,224, at most %d extents", text,
                             (int)TN_MAX_RANK);
    }
    return cli_split(text, out_name, &extents) ? CLI_OK : cli_fail_with("out of memory");
}

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

const char *cli_storage_text(uint32_t storage) {
    return storage == TN_STORAGE_ROW_SPARSE ? "row_sparse "
           : storage == TN_STORAGE_CSR      ? "csr "
                                            : "";
}

const char *cli_shape_text(const tn_shape *shape, char *buffer, size_t size) {
    return tn_shape_text(shape, buffer, size);
}

const char *cli_size_text(uint64_t bytes, char *buffer, size_t size) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(buffer, size, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return buffer;
}

void cli_print_json_string(FILE *file, const char *text) {
    fputc('"', file);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            fprintf(file, "\\%c", *at);
        } else if (*at == '\n') {
            fputs("\\n", file);
        } else if (*at < 0x20) {
            fprintf(file, "\\u%04x", *at);
        } else {
            fputc(*at, file);
        }
    }
    fputc('"', file);
}
