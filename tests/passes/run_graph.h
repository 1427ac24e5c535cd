/* A graph of one input and one output, run once on a device. */
#ifndef TENON_TESTS_RUN_GRAPH_H
#define TENON_TESTS_RUN_GRAPH_H

#include <tenon/tenon.h>

/* The output, in host memory. Skips the test when the device is not there, and fails it when the
 * run does. */
tn_tensor *run_graph_on(tn_runtime *runtime, tn_graph *graph, const char *device_name,
                        tn_tensor *input);

#endif
