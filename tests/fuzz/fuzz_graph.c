/* What is asked of a graph that was read from hostile bytes. */
#include <string.h>

#include "fuzz.h"

enum {
    MAX_ELEMENTS = 2048, /* of all values of a graph that is run */
    MAX_NODES = 64
};

static void look_at_node(const tn_graph *graph, uint32_t number) {
    tn_node_info node = {.struct_size = TN_NODE_INFO_SIZE};
    FUZZ_EXPECT(tn_graph_node(graph, number, &node) == TN_OK);
    FUZZ_EXPECT(node.name != NULL && tn_graph_find_node(graph, node.name) != TN_NO_NODE);
    FUZZ_EXPECT(tn_graph_variable_kind(graph, number) <= TN_VARIABLE_TRAINING);
    for (uint32_t i = 0; i < node.input_count; i++) {
        tn_graph_input_name(graph, number, i);
        tn_graph_input_is_mutated(graph, number, i);
    }
    for (uint32_t i = 0; i < node.output_count; i++) {
        tn_tensor_type type;
        FUZZ_EXPECT(tn_graph_value_name(graph, (tn_value){number, i}) != NULL);
        if (tn_graph_type(graph, (tn_value){number, i}, &type) == TN_OK) {
            FUZZ_EXPECT(type.shape.rank >= TN_UNKNOWN && type.shape.rank <= TN_MAX_RANK);
            for (int32_t axis = 0; axis < type.shape.rank; axis++) {
                FUZZ_EXPECT(type.shape.extents[axis] >= TN_UNKNOWN);
            }
        }
    }
}

/* What was read can be written, and then read and written again to the same bytes. */
static void write_and_read(const tn_graph *graph) {
    char *first, *second;
    tn_graph *copy;
    FUZZ_EXPECT(tn_graph_to_json(graph, &first) == TN_OK);
    FUZZ_EXPECT(tn_graph_from_json(fuzz_runtime(), first, strlen(first), &copy) == TN_OK);
    FUZZ_EXPECT(tn_graph_to_json(copy, &second) == TN_OK);
    FUZZ_EXPECT(strcmp(first, second) == 0);
    tn_graph_destroy(copy);
    tn_text_free(second);
    tn_text_free(first);
}

void fuzz_examine_graph(tn_graph *graph) {
    uint32_t count;
    write_and_read(graph);
    const tn_status verified = tn_graph_verify(graph);
    FUZZ_EXPECT(verified != TN_OK || tn_graph_order(graph, &count) != NULL);
    if (verified == TN_OK) {
        tn_graph_infer(graph, NULL, 0);
    }
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        look_at_node(graph, i);
    }
}

/* Elements of a value, at most MAX_ELEMENTS + 1; that many also when they are not known. */
static uint64_t count_elements(const tn_graph *graph, tn_value value) {
    tn_tensor_type type;
    uint64_t count = 1;
    if (tn_graph_type(graph, value, &type) != TN_OK || type.shape.rank < 0 || type.dtype == 0) {
        return MAX_ELEMENTS + 1;
    }
    for (int32_t axis = 0; axis < type.shape.rank; axis++) {
        const int64_t extent = type.shape.extents[axis];
        if (extent < 0 || extent > MAX_ELEMENTS) {
            return MAX_ELEMENTS + 1;
        }
        count *= (uint64_t)extent;
        count = count > MAX_ELEMENTS ? MAX_ELEMENTS + 1 : count;
    }
    return count;
}

static int is_small(const tn_graph *graph) {
    uint64_t elements = 0;
    const uint32_t nodes = tn_graph_node_count(graph);
    for (uint32_t i = 0; nodes <= MAX_NODES && i < nodes; i++) {
        tn_node_info node = {.struct_size = TN_NODE_INFO_SIZE};
        FUZZ_EXPECT(tn_graph_node(graph, i, &node) == TN_OK);
        for (uint32_t j = 0; j < node.output_count && elements <= MAX_ELEMENTS; j++) {
            elements += count_elements(graph, (tn_value){i, j});
        }
    }
    return nodes <= MAX_NODES && elements <= MAX_ELEMENTS;
}

/* Small whole numbers and, in the bytes of floats, now and then something odd. */
static tn_tensor *make_input(const tn_tensor_type *type) {
    tn_tensor *tensor;
    FUZZ_EXPECT(tn_tensor_create(fuzz_runtime(), type->dtype, type->shape.rank, type->shape.extents,
                                 &tensor) == TN_OK);
    uint8_t *bytes = tn_tensor_data(tensor);
    const uint64_t size = tn_tensor_byte_size(tensor);
    for (uint64_t i = 0; !TN_DTYPE_IS_OPAQUE(type->dtype) && i < size;
         i++) { /* of texts they are pointers */
        bytes[i] = type->dtype == TN_BOOL ? i % 2 : (uint8_t)(i * i * 37 + i / 7);
    }
    return tensor;
}

static void run_session(const tn_graph *graph, tn_session *session) {
    const uint32_t input_count = tn_session_input_count(session);
    const uint32_t output_count = tn_session_output_count(session);
    tn_tensor **inputs = calloc((size_t)input_count + 1, sizeof *inputs);
    tn_tensor **outputs = calloc((size_t)output_count + 1, sizeof *outputs);
    FUZZ_EXPECT(inputs != NULL && outputs != NULL);
    for (uint32_t i = 0; i < input_count; i++) {
        tn_tensor_type type;
        const uint32_t node = tn_graph_find_node(graph, tn_session_input_name(session, i));
        FUZZ_EXPECT(tn_graph_type(graph, (tn_value){node, 0}, &type) == TN_OK);
        inputs[i] = make_input(&type);
    }
    const tn_status status = tn_session_run(session, inputs, outputs);
    for (uint32_t i = 0; i < output_count; i++) {
        FUZZ_EXPECT((status == TN_OK) == (outputs[i] != NULL));
        tn_tensor_release(outputs[i]);
    }
    for (uint32_t i = 0; i < input_count; i++) {
        tn_tensor_release(inputs[i]);
    }
    free(inputs);
    free(outputs);
}

void fuzz_run_graph(tn_graph *graph) {
    static tn_device *device;
    tn_session *session;
    if (tn_graph_verify(graph) != TN_OK || tn_graph_infer(graph, NULL, 0) != TN_OK ||
        !is_small(graph)) {
        return;
    }
    if (device == NULL) {
        FUZZ_EXPECT(tn_device_open(fuzz_runtime(), "cpu", &device) == TN_OK);
    }
    if (tn_session_create(graph, device, NULL, &session) == TN_OK) {
        run_session(graph, session);
        tn_session_destroy(session);
    }
}
