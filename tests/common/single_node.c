#include "single_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TENSORS = 64 };

tn_device *test_device(tn_runtime *runtime, int *out_unavailable) {
    const char *name = getenv("TENON_TEST_DEVICE");
    tn_device *device = NULL;
    *out_unavailable = name != NULL && tn_device_open(runtime, name, &device) != TN_OK;
    return device;
}

uint64_t test_validation_messages(tn_runtime *runtime) {
    tn_argument count = {.u = 0};
    return tn_function_call(runtime, "vulkan_validation_message_count", NULL, 0, &count) == TN_OK
               ? count.u
               : 0;
}

static tn_status build(tn_graph *graph, const char *op, const tn_option *attributes,
                       uint32_t attribute_count, tn_tensor *const *inputs, uint32_t input_count,
                       uint32_t output_count) {
    tn_value values[MAX_TENSORS], outputs[MAX_TENSORS];
    uint32_t node;
    for (uint32_t i = 0; i < input_count; i++) {
        char name[32];
        values[i] = (tn_value){TN_NO_NODE, 0};
        snprintf(name, sizeof name, "input%u", i);
        if (inputs[i] != NULL) {
            const tn_status status = tn_graph_add_variable(graph, name, NULL, &values[i].node);
            if (status != TN_OK) {
                return status;
            }
        }
    }
    const tn_status status = tn_graph_add_node(graph, op, "node", attributes, attribute_count,
                                               values, input_count, &node);
    for (uint32_t i = 0; i < output_count; i++) {
        outputs[i] = (tn_value){node, i};
    }
    return status != TN_OK ? status : tn_graph_set_outputs(graph, outputs, output_count);
}

/* What the operator changes and what is constant is a parameter of the graph, a label is nothing,
 * the rest are inputs. */
static tn_status bind(tn_graph *graph, tn_tensor *const *inputs, uint32_t input_count,
                      uint64_t constants) {
    tn_status status = TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < input_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "input%u", i);
        const uint32_t node = tn_graph_find_node(graph, name);
        if (node != TN_NO_NODE &&
            (constants >> i & 1u || tn_graph_variable_kind(graph, node) == TN_VARIABLE_AUXILIARY)) {
            status = tn_graph_set_parameter(graph, name, inputs[i]);
        }
    }
    return status;
}

tn_status test_to_host(tn_runtime *runtime, tn_tensor **tensor) {
    const tn_view *view = tn_tensor_view(*tensor);
    tn_tensor *copy;
    if (tn_tensor_data(*tensor) != NULL || tn_tensor_storage(*tensor) != TN_STORAGE_DENSE) {
        return TN_OK;
    }
    tn_status status = tn_tensor_create(runtime, view->dtype, view->rank, view->shape, &copy);
    if (status == TN_OK) {
        status = tn_tensor_copy(*tensor, copy);
        tn_tensor_release(*tensor);
        *tensor = copy;
    }
    return status;
}

static tn_status run(tn_runtime *runtime, tn_session *session, tn_tensor *const *inputs,
                     tn_tensor **outputs, uint32_t output_count) {
    tn_tensor *given[MAX_TENSORS];
    for (uint32_t i = 0; i < tn_session_input_count(session); i++) {
        unsigned number;
        sscanf(tn_session_input_name(session, i), "input%u", &number);
        given[i] = inputs[number];
    }
    tn_status status = tn_session_run(session, given, outputs);
    for (uint32_t i = 0; status == TN_OK && i < output_count; i++) {
        status = test_to_host(runtime, &outputs[i]);
    }
    return status;
}

/* Nodes that only share memory run nowhere, which is as good. */
static bool ran_on(const tn_session *session, const tn_device *device) {
    bool is_there = tn_session_step_count(session) > 0;
    for (uint32_t i = 0; i < tn_session_step_count(session); i++) {
        tn_step_info step = {.struct_size = TN_STEP_INFO_SIZE};
        is_there &= tn_session_step(session, i, &step) == TN_OK &&
                    (step.elided || strcmp(step.device, tn_device_name(device)) == 0);
    }
    return is_there;
}

tn_status test_run_node(tn_runtime *runtime, tn_device *device, const char *op,
                        const tn_option *attributes, uint32_t attribute_count,
                        tn_tensor *const *inputs, uint32_t input_count, uint64_t constants,
                        tn_tensor **outputs, uint32_t output_count, bool *out_on_device) {
    tn_graph *graph = NULL;
    tn_session *session = NULL;
    tn_status status = tn_graph_create(runtime, &graph);
    if (status == TN_OK) {
        status = build(graph, op, attributes, attribute_count, inputs, input_count, output_count);
    }
    if (status == TN_OK) {
        status = bind(graph, inputs, input_count, constants);
    }
    if (status == TN_OK) {
        status = tn_session_create(graph, device, NULL, &session);
    }
    if (status == TN_OK) {
        status = run(runtime, session, inputs, outputs, output_count);
    }
    if (status == TN_OK && out_on_device != NULL) {
        *out_on_device = ran_on(session, device);
    }
    tn_session_destroy(session);
    tn_graph_destroy(graph);
    return status;
}
