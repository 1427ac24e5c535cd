/*
 * Kernel libraries by name, for the command line and for other languages: list one, take a module
 * out, put modules in, convert what TVM wrote. A function's answer is a text, valid until the
 * thread's next call; one that begins with "error: " says what went wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/plugin/helpers.h>

#include "kernel_library.h"
#include "kernel_library_functions.h"
#include "spirv.h"

static _Thread_local char answer[1 << 16];

__attribute__((format(printf, 1, 2))) static const char *say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(answer, sizeof answer, format, arguments);
    va_end(arguments);
    return answer;
}

static const char *say_error(const char *path, const library_error *error) {
    return say("error: '%s': %s", path, error->text);
}

/* ---- Files ---- */

/* The whole file and a zero byte, to be freed. */
static unsigned char *read_file(const char *path, size_t *out_size, library_error *error) {
    struct stat stat;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    unsigned char *bytes = NULL;
    if (file < 0 || fstat(file, &stat) != 0 || !S_ISREG(stat.st_mode) ||
        stat.st_size > LIBRARY_MAX_BYTES) {
        library_fail(error, TN_IO, "it cannot be read: %s",
                     file < 0 ? strerror(errno) : "it is not a file, or too large");
    } else {
        const size_t size = (size_t)stat.st_size;
        size_t done = 0;
        ssize_t got = 1;
        bytes = malloc(size + 1);
        while (bytes != NULL && done < size && got > 0) {
            got = read(file, bytes + done, size - done);
            done += got > 0 ? (size_t)got : 0;
        }
        if (bytes == NULL || done < size) {
            library_fail(error, TN_IO, "its %zu bytes cannot be read", size);
            free(bytes);
            bytes = NULL;
        } else {
            bytes[size] = 0;
            *out_size = size;
        }
    }
    if (file >= 0) {
        close(file);
    }
    return bytes;
}

/* Beside the file, then in its place. */
static int write_file(const char *path, const void *bytes, size_t size, library_error *error) {
    char beside[4096];
    if (snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid()) >= (int)sizeof beside) {
        return library_fail(error, TN_INVALID_ARGUMENT, "the path is too long");
    }
    FILE *file = fopen(beside, "wbex");
    int is_written = file != NULL && fwrite(bytes, 1, size, file) == size;
    is_written = file != NULL && fclose(file) == 0 && is_written && rename(beside, path) == 0;
    if (!is_written) {
        library_fail(error, TN_IO, "it cannot be written: %s", strerror(errno));
        (void)unlink(beside);
    }
    return is_written;
}

static int load(kernel_library *library, const char *path, library_error *error) {
    size_t size = 0;
    *library = (kernel_library){0};
    unsigned char *bytes = read_file(path, &size, error);
    const int is_right = bytes != NULL && library_read(library, bytes, size, error);
    free(bytes);
    return is_right;
}

static int save(const kernel_library *library, const char *path, library_error *error) {
    size_t size = 0;
    void *bytes = library_write(library, &size, error);
    const int is_written = bytes != NULL && write_file(path, bytes, size, error);
    free(bytes);
    return is_written;
}

/* ---- The functions ---- */

static const char *argument_name(tn_dtype dtype) {
    return dtype == 0 ? "buffer" : tn_dtype_name(dtype);
}

__attribute__((format(printf, 2, 3))) static void append(size_t *used, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int more = *used < sizeof answer
                         ? vsnprintf(answer + *used, sizeof answer - *used, format, arguments)
                         : 0;
    va_end(arguments);
    *used += more > 0 ? (size_t)more : 0;
}

/* "add: 1234 bytes of SPIR-V (buffer, buffer, int32) groups.x size.x", a line a kernel. */
static const char *list(const char *path) {
    kernel_library library;
    library_error error;
    size_t used = 0;
    if (!load(&library, path, &error)) {
        return say_error(path, &error);
    }
    answer[0] = '\0';
    for (uint32_t i = 0; i < library.kernel_count; i++) {
        const library_kernel *kernel = &library.kernels[i];
        append(&used, "%s: %u bytes of SPIR-V (", kernel->name,
               (unsigned)library.modules[kernel->module].count * 4);
        for (uint32_t a = 0; a < kernel->argument_count; a++) {
            append(&used, "%s%s", a > 0 ? ", " : "", argument_name(kernel->arguments[a]));
        }
        append(&used, ")");
        for (uint32_t t = 0; t < kernel->tag_count; t++) {
            append(&used, " %s", library_tag_name(kernel->tags[t]));
        }
        append(&used, "\n");
    }
    library_finish(&library);
    return answer;
}

static const char *extract(const char *path, const char *name, const char *target) {
    kernel_library library;
    library_error error;
    if (!load(&library, path, &error)) {
        return say_error(path, &error);
    }
    const library_kernel *kernel = library_find(&library, name);
    const char *result;
    if (kernel == NULL) {
        result = say("error: '%s': it has no kernel '%s'", path, name);
    } else {
        const library_module *module = &library.modules[kernel->module];
        result = write_file(target, module->words, (size_t)module->count * 4, &error)
                     ? say("%u bytes", (unsigned)module->count * 4)
                     : say_error(target, &error);
    }
    library_finish(&library);
    return result;
}

/* What code says of itself: its buffers, then its push constants as words. */
static int describe(const void *code, size_t size, const char *entry, library_kernel *kernel,
                    library_error *error) {
    const spirv_environment environment = {.max_version = 0x00010600,
                                           .subgroup_operations = UINT32_MAX,
                                           .has_local_size_id = 1,
                                           .features = ~(vulkan_features)0};
    spirv_interface interface;
    spirv_error wrong;
    spirv_module *module = spirv_verify(code, size, &environment, &wrong);
    if (module != NULL) {
        (void)spirv_reflect(module, entry, NULL, 0, &interface, &wrong);
    }
    spirv_module_destroy(module);
    if (wrong.status != TN_OK) {
        return library_fail(error, wrong.status, "%s", wrong.text);
    }
    kernel->argument_count = interface.binding_end;
    for (uint32_t i = 0;
         i < interface.push_size / 4 && kernel->argument_count < LIBRARY_MAX_ARGUMENTS; i++) {
        kernel->arguments[kernel->argument_count++] = TN_U32;
    }
    kernel->tags[kernel->tag_count++] = TAG_GROUPS_X;
    kernel->tags[kernel->tag_count++] = TAG_GROUPS_Y;
    kernel->tags[kernel->tag_count++] = TAG_GROUPS_Z;
    return 1;
}

static int add_code(kernel_library *library, const char *name, const char *entry, const void *code,
                    size_t size, library_error *error) {
    library_kernel kernel = {.module = 0};
    if (strlen(name) > LIBRARY_MAX_NAME || strlen(entry) > LIBRARY_MAX_NAME) {
        return library_fail(error, TN_INVALID_ARGUMENT, "a name is longer than %u bytes",
                            (unsigned)LIBRARY_MAX_NAME);
    }
    memcpy(kernel.name, name, strlen(name) + 1);
    memcpy(kernel.entry_point, entry, strlen(entry) + 1);
    return describe(code, size, entry, &kernel, error) &&
           library_add_module(library, code, size, &kernel.module, error) &&
           library_add_kernel(library, &kernel, error);
}

/* Puts a module into a library, which is made when it is not there. */
static const char *add(const char *path, const char *name, const char *code_path,
                       const char *entry) {
    kernel_library library = {0};
    library_error error;
    size_t size = 0;
    if (access(path, F_OK) == 0 && !load(&library, path, &error)) {
        return say_error(path, &error);
    }
    unsigned char *code = read_file(code_path, &size, &error);
    const char *result;
    if (code == NULL || !add_code(&library, name, entry, code, size, &error)) {
        result = say_error(code_path, &error);
    } else if (!save(&library, path, &error)) {
        result = say_error(path, &error);
    } else {
        result = say("%u kernels", (unsigned)library.kernel_count);
    }
    free(code);
    library_finish(&library);
    return result;
}

static const char *from_tvm(const char *modules_path, const char *metadata_path,
                            const char *target) {
    kernel_library library = {0};
    library_error error;
    size_t size = 0, metadata_size = 0;
    unsigned char *modules = read_file(modules_path, &size, &error);
    unsigned char *metadata =
        modules != NULL ? read_file(metadata_path, &metadata_size, &error) : NULL;
    const char *result;
    if (modules == NULL) {
        result = say_error(modules_path, &error);
    } else if (metadata == NULL) {
        result = say_error(metadata_path, &error);
    } else if (!library_read_tvm(&library, modules, size, (const char *)metadata, &error)) {
        result = say_error(modules_path, &error);
    } else if (!save(&library, target, &error)) {
        result = say_error(target, &error);
    } else {
        result = say("%u kernels", (unsigned)library.kernel_count);
    }
    free(modules);
    free(metadata);
    library_finish(&library);
    return result;
}

#define FUNCTION(NAME, SIGNATURE, ADDRESS, DOC)                                                    \
    const tn_function NAME = {.struct_size = TN_FUNCTION_SIZE,                                     \
                              .doc = DOC,                                                          \
                              .signature = SIGNATURE,                                              \
                              .address = (void (*)(void))ADDRESS}

FUNCTION(vulkan_library_list, "text(text)", list,
         "Lists a library of kernels: name, size, arguments and launch tags, a line each.");
FUNCTION(vulkan_library_extract, "text(text,text,text)", extract,
         "Writes the SPIR-V of a kernel: library, kernel, file to write.");
FUNCTION(vulkan_library_add, "text(text,text,text,text)", add,
         "Adds a kernel to a library: library, name of the kernel, SPIR-V file, entry point.");
FUNCTION(vulkan_library_from_tvm, "text(text,text,text)", from_tvm,
         "Converts a Vulkan module of TVM 0.6: module file, metadata file, library to write.");
