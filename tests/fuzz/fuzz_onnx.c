/* Fuzz target: an ONNX model, as a file in memory. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int descriptor = -1;
    char path[64];
    tn_graph *graph = NULL;
    if (descriptor < 0) {
        descriptor = memfd_create("model", 0);
        FUZZ_EXPECT(descriptor >= 0);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    FUZZ_EXPECT(ftruncate(descriptor, 0) == 0);
    FUZZ_EXPECT(pwrite(descriptor, data, size, 0) == (ssize_t)size);
    if (tn_graph_read(fuzz_runtime(), path, "onnx", NULL, 0, &graph) == TN_OK) {
        fuzz_examine_graph(graph);
        tn_graph_destroy(graph);
    } else {
        FUZZ_EXPECT(graph == NULL);
    }
    return 0;
}
