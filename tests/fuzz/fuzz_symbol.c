/*
 * Fuzz target: an MXNet symbol with its parameters. The input is the symbol's JSON; what follows
 * its first zero byte is the file of parameters. Both are files in memory.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

typedef struct memory_file {
    int descriptor;
    char path[64];
} memory_file;

static memory_file make_file(const char *name) {
    memory_file file = {.descriptor = memfd_create(name, 0)};
    FUZZ_EXPECT(file.descriptor >= 0);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

static void fill_file(const memory_file *file, const uint8_t *data, size_t size) {
    FUZZ_EXPECT(ftruncate(file->descriptor, 0) == 0);
    FUZZ_EXPECT(pwrite(file->descriptor, data, size, 0) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static memory_file symbol, parameters;
    if (symbol.path[0] == '\0') {
        symbol = make_file("symbol");
        parameters = make_file("parameters");
    }
    const uint8_t *zero = size > 0 ? memchr(data, '\0', size) : NULL;
    const size_t symbol_size = zero != NULL ? (size_t)(zero - data) : size;
    const tn_option option = {"params", parameters.path};
    tn_graph *graph = NULL;
    fill_file(&symbol, data, symbol_size);
    if (zero != NULL) {
        fill_file(&parameters, zero + 1, size - symbol_size - 1);
    }
    if (tn_graph_read(fuzz_runtime(), symbol.path, "mxnet", &option, zero != NULL, &graph) ==
        TN_OK) {
        fuzz_examine_graph(graph);
        tn_graph_destroy(graph);
    } else {
        FUZZ_EXPECT(graph == NULL);
    }
    return 0;
}
