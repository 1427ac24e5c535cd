/* Fuzz target: small graphs in Tenon's JSON are planned and run: every operator with every
 * attribute. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tn_graph *graph;
    if (tn_graph_from_json(fuzz_runtime(), (const char *)data, size, &graph) == TN_OK) {
        fuzz_run_graph(graph);
        tn_graph_destroy(graph);
    }
    return 0;
}
