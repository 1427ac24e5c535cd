/* One operator as a graph of its own, run on any device. */
#ifndef TENON_TESTS_SINGLE_NODE_H
#define TENON_TESTS_SINGLE_NODE_H

#include <stdbool.h>

#include <tenon/tenon.h>

/* Makes new host tensors for the visible outputs, of which there are `output_count`. An input that
 * is NULL is absent; bit i of `constants` makes input i a parameter of the graph. `out_on_device`
 * (may be NULL) receives whether the device did it itself, and not the CPU for it. */
tn_status test_run_node(tn_runtime *runtime, tn_device *device, const char *op,
                        const tn_option *attributes, uint32_t attribute_count,
                        tn_tensor *const *inputs, uint32_t input_count, uint64_t constants,
                        tn_tensor **outputs, uint32_t output_count, bool *out_on_device);

/* Replaces a tensor that the host cannot read by a copy that it can. */
tn_status test_to_host(tn_runtime *runtime, tn_tensor **tensor);

/* The device that TENON_TEST_DEVICE names, NULL when it is not set. `out_unavailable` receives
 * whether it is set and the device is not there. */
tn_device *test_device(tn_runtime *runtime, int *out_unavailable);

/* How many messages the validation layer has given, when it is on; 0 otherwise. */
uint64_t test_validation_messages(tn_runtime *runtime);

#endif
