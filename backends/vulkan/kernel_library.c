/* Kernel libraries in memory, and as bytes of our own format. */
#include "kernel_library.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache_file.h"
#include "spirv.h"

static const char magic[8] = {'T', 'N', 'V', 'K', 'L', 'I', 'B', '1'};
enum { HEADER_BYTES = 40 };

int library_fail(library_error *error, tn_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->status = status;
    return 0;
}

const char *library_tag_name(uint32_t tag) {
    static const char *const names[] = {"groups.x", "groups.y", "groups.z",
                                        "size.x",   "size.y",   "size.z"};
    return tag < LIBRARY_MAX_TAGS ? names[tag] : "unknown";
}

/* ---- In memory ---- */

/* One more element; NULL when there is no memory. */
static void *grow(void *array, uint32_t count, size_t size) {
    /* Doubled at every power of two, so that no capacity has to be kept. */
    if ((count & (count - 1)) != 0) {
        return array;
    }
    return realloc(array, (count > 0 ? (size_t)count * 2 : 1) * size);
}

int library_add_module(kernel_library *library, const void *words, size_t size,
                       uint32_t *out_module, library_error *error) {
    void *grown = grow(library->modules, library->module_count, sizeof *library->modules);
    uint32_t *copy = malloc(size > 0 ? size : 1);
    library->modules = grown != NULL ? grown : library->modules;
    if (grown == NULL || copy == NULL) {
        free(copy);
        return library_fail(error, TN_OUT_OF_MEMORY, "no memory for a module of %zu bytes", size);
    }
    memcpy(copy, words, size);
    *out_module = library->module_count++;
    library->modules[*out_module] = (library_module){copy, (uint32_t)(size / 4)};
    return 1;
}

const library_kernel *library_find(const kernel_library *library, const char *name) {
    for (uint32_t i = 0; i < library->kernel_count; i++) {
        if (strcmp(library->kernels[i].name, name) == 0) {
            return &library->kernels[i];
        }
    }
    return NULL;
}

int library_add_kernel(kernel_library *library, const library_kernel *kernel,
                       library_error *error) {
    if (kernel->name[0] == '\0' || kernel->module >= library->module_count) {
        return library_fail(error, TN_CORRUPT, "kernel '%.60s' has no name or no module",
                            kernel->name);
    }
    if (library_find(library, kernel->name) != NULL) {
        return library_fail(error, TN_CORRUPT, "kernel '%.60s' is there twice", kernel->name);
    }
    if (library->kernel_count == LIBRARY_MAX_KERNELS) {
        return library_fail(error, TN_CORRUPT, "there are more than %u kernels",
                            (unsigned)LIBRARY_MAX_KERNELS);
    }
    void *grown = grow(library->kernels, library->kernel_count, sizeof *library->kernels);
    if (grown == NULL) {
        return library_fail(error, TN_OUT_OF_MEMORY, "no memory for kernel '%.60s'", kernel->name);
    }
    library->kernels = grown;
    library->kernels[library->kernel_count++] = *kernel;
    return 1;
}

void library_finish(kernel_library *library) {
    for (uint32_t i = 0; i < library->module_count; i++) {
        free(library->modules[i].words);
    }
    free(library->modules);
    free(library->kernels);
    *library = (kernel_library){0};
}

static int verify_entries(const kernel_library *library, uint32_t number,
                          const spirv_module *module, library_error *error) {
    for (uint32_t i = 0; i < library->kernel_count; i++) {
        const library_kernel *kernel = &library->kernels[i];
        spirv_interface interface;
        spirv_error wrong;
        if (kernel->module == number &&
            spirv_reflect(module, kernel->entry_point, NULL, 0, &interface, &wrong) != TN_OK) {
            return library_fail(error, TN_CORRUPT, "kernel '%.60s': %s", kernel->name, wrong.text);
        }
    }
    return 1;
}

int library_verify(const kernel_library *library, library_error *error) {
    /* A library is for every device: what one lacks shows when a kernel is made there. */
    const spirv_environment environment = {.max_version = 0x00010600,
                                           .subgroup_operations = UINT32_MAX,
                                           .has_local_size_id = 1,
                                           .features = ~(vulkan_features)0};
    for (uint32_t i = 0; i < library->module_count; i++) {
        const library_module *from = &library->modules[i];
        spirv_error wrong;
        spirv_module *module =
            spirv_verify(from->words, (uint64_t)from->count * 4, &environment, &wrong);
        const int is_right = module != NULL ? verify_entries(library, i, module, error)
                                            : library_fail(error, TN_CORRUPT, "module %u: %s",
                                                           (unsigned)i, wrong.text);
        spirv_module_destroy(module);
        if (!is_right) {
            return 0;
        }
    }
    return 1;
}

/* ---- Reading ---- */

typedef struct library_reader {
    const unsigned char *at;
    size_t left;
    library_error *error;
} library_reader;

static int take(library_reader *reader, void *to, size_t size) {
    if (size > reader->left) {
        return library_fail(reader->error, TN_CORRUPT, "the library ends in the middle");
    }
    memcpy(to, reader->at, size);
    reader->at += size;
    reader->left -= size;
    return 1;
}

static int take_number(library_reader *reader, uint32_t most, const char *what,
                       uint32_t *out_number) {
    return take(reader, out_number, sizeof *out_number) &&
           (*out_number <= most || library_fail(reader->error, TN_CORRUPT, "%s: %u is more than %u",
                                                what, (unsigned)*out_number, (unsigned)most));
}

/* A name and its zero; what fills it up is zeros, so that there is one way to write it. */
static int take_text(library_reader *reader, char text[LIBRARY_MAX_NAME + 1]) {
    static const unsigned char zeros[4] = {0};
    unsigned char filled[4];
    uint32_t size = 0;
    if (!take_number(reader, LIBRARY_MAX_NAME, "the length of a name", &size) ||
        !take(reader, text, size)) {
        return 0;
    }
    text[size] = '\0';
    const size_t fill = (4 - size % 4) % 4;
    return take(reader, filled, fill) &&
           ((memcmp(filled, zeros, fill) == 0 && strlen(text) == size) ||
            library_fail(reader->error, TN_CORRUPT, "a name holds what no name does"));
}

static int take_module(library_reader *reader, kernel_library *library) {
    uint32_t size = 0, number;
    if (!take_number(reader, LIBRARY_MAX_BYTES, "the size of a module", &size)) {
        return 0;
    }
    if (size > reader->left || size % 4 != 0) {
        return library_fail(reader->error, TN_CORRUPT, "a module of %u bytes does not fit",
                            (unsigned)size);
    }
    const unsigned char *words = reader->at;
    reader->at += size;
    reader->left -= size;
    return library_add_module(library, words, size, &number, reader->error);
}

static int take_kernel(library_reader *reader, kernel_library *library) {
    library_kernel kernel = {.module = 0};
    if (!take_text(reader, kernel.name) || !take_text(reader, kernel.entry_point) ||
        !take_number(reader, UINT32_MAX, "module", &kernel.module) ||
        !take_number(reader, LIBRARY_MAX_ARGUMENTS, "arguments", &kernel.argument_count)) {
        return 0;
    }
    for (uint32_t i = 0; i < kernel.argument_count; i++) {
        if (!take_number(reader, UINT32_MAX, "type", &kernel.arguments[i])) {
            return 0;
        }
    }
    if (!take_number(reader, LIBRARY_MAX_TAGS, "tags", &kernel.tag_count)) {
        return 0;
    }
    for (uint32_t i = 0; i < kernel.tag_count; i++) {
        if (!take_number(reader, TAG_SIZE_Z, "tag", &kernel.tags[i])) {
            return 0;
        }
    }
    return library_add_kernel(library, &kernel, reader->error);
}

static int take_header(library_reader *reader, uint32_t numbers[4]) {
    char found[8] = {0};
    uint64_t size = 0, checksum = 0;
    if (!take(reader, found, sizeof found) || memcmp(found, magic, sizeof magic) != 0) {
        return library_fail(reader->error, TN_CORRUPT, "it is not a kernel library");
    }
    if (!take(reader, numbers, 4 * sizeof *numbers) || !take(reader, &size, sizeof size) ||
        !take(reader, &checksum, sizeof checksum)) {
        return 0;
    }
    if (numbers[0] != LIBRARY_VERSION) {
        return library_fail(reader->error, TN_INCOMPATIBLE,
                            "the library is of version %u, this backend reads %u",
                            (unsigned)numbers[0], (unsigned)LIBRARY_VERSION);
    }
    if (size != reader->left || numbers[3] != 0) {
        return library_fail(reader->error, TN_CORRUPT,
                            "the library says that it has %llu bytes, there are %zu",
                            (unsigned long long)size, reader->left);
    }
    return checksum == vulkan_checksum(reader->at, reader->left) ||
           library_fail(reader->error, TN_CORRUPT, "the library is damaged: the checksum differs");
}

static int read_all(library_reader *reader, kernel_library *library) {
    uint32_t numbers[4];
    int is_right = take_header(reader, numbers);
    for (uint32_t i = 0; is_right && i < numbers[1]; i++) {
        is_right = take_module(reader, library);
    }
    for (uint32_t i = 0; is_right && i < numbers[2]; i++) {
        is_right = take_kernel(reader, library);
    }
    if (is_right && reader->left != 0) {
        is_right = library_fail(reader->error, TN_CORRUPT, "%zu bytes are left over", reader->left);
    }
    return is_right && library_verify(library, reader->error);
}

int library_read(kernel_library *library, const void *bytes, size_t size, library_error *error) {
    library_reader reader = {bytes, size, error};
    *library = (kernel_library){0};
    *error = (library_error){.status = TN_OK};
    if (!read_all(&reader, library)) {
        library_finish(library);
        return 0;
    }
    return 1;
}

/* ---- Writing ---- */

/* With no place to write to, it counts. */
typedef struct library_writer {
    unsigned char *bytes;
    size_t size;
} library_writer;

static void put(library_writer *writer, const void *from, size_t size) {
    if (writer->bytes != NULL && size > 0) {
        memcpy(writer->bytes + writer->size, from, size);
    }
    writer->size += size;
}

static void put_number(library_writer *writer, uint32_t number) {
    put(writer, &number, sizeof number);
}

static void put_text(library_writer *writer, const char *text) {
    static const unsigned char zeros[4] = {0};
    const size_t size = strlen(text);
    put_number(writer, (uint32_t)size);
    put(writer, text, size);
    put(writer, zeros, (4 - size % 4) % 4);
}

static void put_body(library_writer *writer, const kernel_library *library) {
    for (uint32_t i = 0; i < library->module_count; i++) {
        put_number(writer, library->modules[i].count * 4);
        put(writer, library->modules[i].words, (size_t)library->modules[i].count * 4);
    }
    for (uint32_t i = 0; i < library->kernel_count; i++) {
        const library_kernel *kernel = &library->kernels[i];
        put_text(writer, kernel->name);
        put_text(writer, kernel->entry_point);
        put_number(writer, kernel->module);
        put_number(writer, kernel->argument_count);
        put(writer, kernel->arguments, kernel->argument_count * sizeof *kernel->arguments);
        put_number(writer, kernel->tag_count);
        put(writer, kernel->tags, kernel->tag_count * sizeof *kernel->tags);
    }
}

void *library_write(const kernel_library *library, size_t *out_size, library_error *error) {
    library_writer count = {NULL, 0};
    *error = (library_error){.status = TN_OK};
    put_body(&count, library);
    unsigned char *bytes = malloc(HEADER_BYTES + count.size);
    if (bytes == NULL || count.size > LIBRARY_MAX_BYTES) {
        free(bytes);
        library_fail(error, TN_OUT_OF_MEMORY, "no memory for a library of %zu bytes", count.size);
        return NULL;
    }
    library_writer body = {bytes + HEADER_BYTES, 0}, header = {bytes, 0};
    put_body(&body, library);
    const uint64_t size = body.size, checksum = vulkan_checksum(body.bytes, body.size);
    put(&header, magic, sizeof magic);
    put_number(&header, LIBRARY_VERSION);
    put_number(&header, library->module_count);
    put_number(&header, library->kernel_count);
    put_number(&header, 0);
    put(&header, &size, sizeof size);
    put(&header, &checksum, sizeof checksum);
    *out_size = HEADER_BYTES + body.size;
    return bytes;
}
