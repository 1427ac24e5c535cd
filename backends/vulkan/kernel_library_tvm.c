/*
 * What TVM 0.6 wrote: a binary file of modules by name, and beside it a JSON file that says of each
 * function its arguments and launch tags. Numbers are little-endian; sizes are of 8 bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel_library.h"

enum { TVM_MAGIC = 0x02700027, MAX_DEPTH = 32 };

/* ---- The JSON ---- */

typedef struct json_scanner {
    const char *at;
    library_error *error;
} json_scanner;

static int fail_json(json_scanner *scanner) {
    return library_fail(scanner->error, TN_CORRUPT,
                        "the metadata is not the JSON of TVM: at '%.20s'", scanner->at);
}

static void skip_space(json_scanner *scanner) {
    scanner->at += strspn(scanner->at, " \t\r\n");
}

static int accept(json_scanner *scanner, char mark) {
    skip_space(scanner);
    if (*scanner->at != mark) {
        return 0;
    }
    scanner->at++;
    return 1;
}

static int expect(json_scanner *scanner, char mark) {
    return accept(scanner, mark) || fail_json(scanner);
}

/* A text without escapes: names of functions and types have none. */
static int scan_text(json_scanner *scanner, char *text, size_t size) {
    if (!expect(scanner, '"')) {
        return 0;
    }
    const size_t length = strcspn(scanner->at, "\"\\\n");
    if (scanner->at[length] != '"' || length >= size) {
        return fail_json(scanner);
    }
    memcpy(text, scanner->at, length);
    text[length] = '\0';
    scanner->at += length + 1;
    return 1;
}

/* Goes past any value, without recursion. */
static int skip_value(json_scanner *scanner) {
    int depth = 0;
    do {
        skip_space(scanner);
        const char mark = *scanner->at;
        if (mark == '"') {
            scanner->at++;
            while (*scanner->at != '"' && *scanner->at != '\0') {
                scanner->at += scanner->at[0] == '\\' && scanner->at[1] != '\0' ? 2 : 1;
            }
        }
        if (*scanner->at == '\0') {
            return fail_json(scanner);
        }
        if (mark == '{' || mark == '[') {
            depth++;
        } else if (mark == '}' || mark == ']') {
            depth--;
        } else if (mark != '"' && mark != ',' && mark != ':') {
            scanner->at += strcspn(scanner->at, " \t\r\n,:]}{[\"") - 1;
        }
        scanner->at++;
        if (depth < 0 || depth > MAX_DEPTH) {
            return fail_json(scanner);
        }
    } while (depth > 0);
    return 1;
}

static int scan_argument(json_scanner *scanner, library_kernel *kernel) {
    static const struct {
        const char *name;
        tn_dtype dtype;
    } types[] = {
        {"handle", 0},      {"int8", TN_I8},     {"int16", TN_I16},   {"int32", TN_I32},
        {"int64", TN_I64},  {"uint8", TN_U8},    {"uint16", TN_U16},  {"uint32", TN_U32},
        {"uint64", TN_U64}, {"float16", TN_F16}, {"float32", TN_F32}, {"float64", TN_F64},
        {"float", TN_F32},  {"bool", TN_BOOL},   {"uint1", TN_BOOL},  {"int", TN_I32},
    };
    char name[32];
    if (!scan_text(scanner, name, sizeof name)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name) == 0 && kernel->argument_count < LIBRARY_MAX_ARGUMENTS) {
            kernel->arguments[kernel->argument_count++] = types[i].dtype;
            return 1;
        }
    }
    return library_fail(scanner->error, TN_UNSUPPORTED,
                        "kernel '%.60s': argument type '%s', or one too many", kernel->name, name);
}

static int scan_tag(json_scanner *scanner, library_kernel *kernel) {
    static const char *const names[] = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z",
                                        "threadIdx.x", "threadIdx.y", "threadIdx.z"};
    char name[32];
    if (!scan_text(scanner, name, sizeof name)) {
        return 0;
    }
    for (uint32_t i = 0; i < LIBRARY_MAX_TAGS; i++) {
        if (strcmp(names[i], name) == 0 && kernel->tag_count < LIBRARY_MAX_TAGS) {
            kernel->tags[kernel->tag_count++] = i;
            return 1;
        }
    }
    return library_fail(scanner->error, TN_UNSUPPORTED,
                        "kernel '%.60s': launch tag '%s', or one too many", kernel->name, name);
}

typedef int scan_element(json_scanner *scanner, library_kernel *kernel);

static int scan_list(json_scanner *scanner, library_kernel *kernel, scan_element *element) {
    if (!expect(scanner, '[')) {
        return 0;
    }
    if (accept(scanner, ']')) {
        return 1;
    }
    do {
        if (!element(scanner, kernel)) {
            return 0;
        }
    } while (accept(scanner, ','));
    return expect(scanner, ']');
}

static int scan_function(json_scanner *scanner, library_kernel *kernel) {
    kernel->argument_count = kernel->tag_count = 0;
    if (!expect(scanner, '{')) {
        return 0;
    }
    do {
        char key[64];
        if (!scan_text(scanner, key, sizeof key) || !expect(scanner, ':')) {
            return 0;
        }
        const int is_right =
            strcmp(key, "arg_types") == 0          ? scan_list(scanner, kernel, scan_argument)
            : strcmp(key, "thread_axis_tags") == 0 ? scan_list(scanner, kernel, scan_tag)
                                                   : skip_value(scanner);
        if (!is_right) {
            return 0;
        }
    } while (accept(scanner, ','));
    return expect(scanner, '}');
}

/* The functions of "func_info", each given to the kernel of its name. */
static int scan_functions(json_scanner *scanner, kernel_library *library, uint32_t *described) {
    if (!expect(scanner, '{')) {
        return 0;
    }
    if (accept(scanner, '}')) {
        return 1;
    }
    do {
        char name[LIBRARY_MAX_NAME + 1];
        if (!scan_text(scanner, name, sizeof name) || !expect(scanner, ':')) {
            return 0;
        }
        const library_kernel *found = library_find(library, name);
        if (found == NULL) {
            return library_fail(scanner->error, TN_CORRUPT,
                                "the metadata speaks of '%.60s', which has no module", name);
        }
        if (!scan_function(scanner, &library->kernels[found - library->kernels])) {
            return 0;
        }
        ++*described;
    } while (accept(scanner, ','));
    return expect(scanner, '}');
}

static int scan_metadata(json_scanner *scanner, kernel_library *library) {
    uint32_t described = 0;
    if (!expect(scanner, '{')) {
        return 0;
    }
    do {
        char key[64];
        if (!scan_text(scanner, key, sizeof key) || !expect(scanner, ':') ||
            !(strcmp(key, "func_info") == 0 ? scan_functions(scanner, library, &described)
                                            : skip_value(scanner))) {
            return 0;
        }
    } while (accept(scanner, ','));
    return expect(scanner, '}') &&
           (described == library->kernel_count ||
            library_fail(scanner->error, TN_CORRUPT, "%u of %u modules are in the metadata",
                         (unsigned)described, (unsigned)library->kernel_count));
}

/* ---- The modules ---- */

typedef struct tvm_stream {
    const unsigned char *at;
    size_t left;
    library_error *error;
} tvm_stream;

static int take(tvm_stream *stream, void *to, size_t size) {
    if (size > stream->left) {
        return library_fail(stream->error, TN_CORRUPT, "the file ends in the middle of a module");
    }
    memcpy(to, stream->at, size);
    stream->at += size;
    stream->left -= size;
    return 1;
}

/* A name, a flag that means nothing, the words. The function's name is its entry point's. */
static int take_shader(tvm_stream *stream, kernel_library *library) {
    library_kernel kernel = {.module = 0};
    uint64_t size = 0;
    uint32_t flag = 0;
    if (!take(stream, &size, sizeof size)) {
        return 0;
    }
    if (size == 0 || size > LIBRARY_MAX_NAME) {
        return library_fail(stream->error, TN_CORRUPT, "a name of %llu bytes",
                            (unsigned long long)size);
    }
    if (!take(stream, kernel.name, (size_t)size) || !take(stream, &flag, sizeof flag) ||
        !take(stream, &size, sizeof size)) {
        return 0;
    }
    if (size > stream->left / 4 || strlen(kernel.name) == 0) {
        return library_fail(stream->error, TN_CORRUPT,
                            "module '%.60s' has %llu words, the file "
                            "%zu bytes",
                            kernel.name, (unsigned long long)size, stream->left);
    }
    memcpy(kernel.entry_point, kernel.name, sizeof kernel.name);
    const unsigned char *words = stream->at;
    stream->at += size * 4;
    stream->left -= (size_t)size * 4;
    return library_add_module(library, words, (size_t)size * 4, &kernel.module, stream->error) &&
           library_add_kernel(library, &kernel, stream->error);
}

static int take_shaders(tvm_stream *stream, kernel_library *library) {
    uint32_t found = 0;
    uint64_t count = 0;
    if (stream->left < sizeof found || !take(stream, &found, sizeof found) || found != TVM_MAGIC) {
        return library_fail(stream->error, TN_CORRUPT,
                            "it begins with 0x%08x, a Vulkan module of TVM 0.6 with 0x%08x",
                            (unsigned)found, (unsigned)TVM_MAGIC);
    }
    if (!take(stream, &count, sizeof count)) {
        return 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!take_shader(stream, library)) {
            return 0;
        }
    }
    return stream->left == 0 ||
           library_fail(stream->error, TN_CORRUPT, "%zu bytes are left over", stream->left);
}

int library_read_tvm(kernel_library *library, const void *modules, size_t size,
                     const char *metadata, library_error *error) {
    tvm_stream stream = {modules, size, error};
    json_scanner scanner = {metadata, error};
    *library = (kernel_library){0};
    *error = (library_error){.status = TN_OK};
    if (!take_shaders(&stream, library) || !scan_metadata(&scanner, library) ||
        !library_verify(library, error)) {
        library_finish(library);
        return 0;
    }
    return 1;
}
