/*
 * Kernel libraries: files that keep SPIR-V modules with what is needed to launch their kernels, so
 * that code made elsewhere, or at another time, can be listed, checked and run. Pure.
 *
 * A file is little-endian:
 *   magic "TNVKLIB1", then numbers of 4 bytes: version, modules, kernels, 0;
 *   of 8 bytes: bytes that follow, their checksum
 *   each module: its bytes (4), its words
 *   each kernel: name, entry point, module, arguments (a dtype each, 0 for a buffer), launch tags;
 *   a text is its bytes (4), then those, filled up with zeros to a multiple of 4
 */
#ifndef TENON_BACKENDS_VULKAN_KERNEL_LIBRARY_H
#define TENON_BACKENDS_VULKAN_KERNEL_LIBRARY_H

#include <stddef.h>

#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

enum {
    LIBRARY_VERSION = 1,
    LIBRARY_MAX_BYTES = 1 << 30,
    LIBRARY_MAX_KERNELS = 1 << 14,
    LIBRARY_MAX_NAME = 255,
    LIBRARY_MAX_ARGUMENTS = 256,
    LIBRARY_MAX_TAGS = 6,
};

/* What a launch is given, in order: sizes of the grid and of a workgroup. */
enum library_tag { TAG_GROUPS_X, TAG_GROUPS_Y, TAG_GROUPS_Z, TAG_SIZE_X, TAG_SIZE_Y, TAG_SIZE_Z };

typedef struct library_module {
    uint32_t *words;
    uint32_t count;
} library_module;

typedef struct library_kernel {
    char name[LIBRARY_MAX_NAME + 1];
    char entry_point[LIBRARY_MAX_NAME + 1];
    uint32_t module;
    uint32_t argument_count;
    tn_dtype arguments[LIBRARY_MAX_ARGUMENTS]; /* 0: a buffer */
    uint32_t tag_count;
    uint32_t tags[LIBRARY_MAX_TAGS];
} library_kernel;

typedef struct kernel_library {
    library_module *modules;
    library_kernel *kernels;
    uint32_t module_count;
    uint32_t kernel_count;
} kernel_library;

typedef struct library_error {
    tn_status status;
    char text[240];
} library_error;

/* Words the error and is 0. */
__attribute__((format(printf, 3, 4))) int library_fail(library_error *error, tn_status status,
                                                       const char *format, ...);

/* Adds a copy of a module; its number goes to `out_module`. */
int library_add_module(kernel_library *library, const void *words, size_t size,
                       uint32_t *out_module, library_error *error);
/* Adds a copy of a kernel. Its name must be new, its module there. */
int library_add_kernel(kernel_library *library, const library_kernel *kernel, library_error *error);
const library_kernel *library_find(const kernel_library *library, const char *name);

/* What lies between the first byte and the last. Checks all of it, the modules by the verifier
 * too. The library is empty on failure; finish it in any case. */
int library_read(kernel_library *library, const void *bytes, size_t size, library_error *error);
/* The bytes of a file, to be freed; the same library gives the same bytes. */
void *library_write(const kernel_library *library, size_t *out_size, library_error *error);
void library_finish(kernel_library *library);

/* Every module is right, and has the entry points that kernels name. */
int library_verify(const kernel_library *library, library_error *error);

/* The two files of TVM 0.6: modules by name, and what the JSON says of them. Adds to an empty
 * library. kernel_library_tvm.c. */
int library_read_tvm(kernel_library *library, const void *modules, size_t size,
                     const char *metadata, library_error *error);

const char *library_tag_name(uint32_t tag);

#endif
