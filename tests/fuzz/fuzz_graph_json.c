/* Fuzz target: Tenon's JSON. What is read is inferred, looked at, written and read again. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tn_graph *graph = NULL;
    if (tn_graph_from_json(fuzz_runtime(), (const char *)data, size, &graph) == TN_OK) {
        fuzz_examine_graph(graph);
        tn_graph_destroy(graph);
    } else {
        FUZZ_EXPECT(graph == NULL);
    }
    return 0;
}
