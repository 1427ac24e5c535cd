/* One operator as a graph of its own, run on any device. */
#ifndef TENON_TESTS_SINGLE_NODE_H
#define TENON_TESTS_SINGLE_NODE_H

#include <tenon/tenon.h>

/* Makes new host tensors for the visible outputs, of which there are `output_count`. An input that
 * is NULL is absent. */
tn_status test_run_node(tn_runtime *runtime, tn_device *device, const char *op,
                        const tn_option *attributes, uint32_t attribute_count,
                        tn_tensor *const *inputs, uint32_t input_count, tn_tensor **outputs,
                        uint32_t output_count);

/* The device that TENON_TEST_DEVICE names, NULL when it is not set. `out_unavailable` receives
 * whether it is set and the device is not there. */
tn_device *test_device(tn_runtime *runtime, int *out_unavailable);

#endif
