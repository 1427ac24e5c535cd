/* Sequences and optional values. */
#include "families.h"

/* Of which element type an empty sequence is does not matter: each tensor has its own. */
static tn_status sequence_empty(struct onnx_node *node) {
    onnx_ignore(node, "dtype");
    return onnx_finish(node, "onnx.SequenceConstruct", NULL, NULL, 0);
}

static tn_status sequence_construct(struct onnx_node *node) {
    const uint32_t count = onnx_input_count(node);
    void *inputs;
    TN_TRY(tn_allocate(node->host, count, sizeof(tn_value), &inputs));
    tn_status status = onnx_inputs(node, inputs, count);
    if (status == TN_OK) {
        status = onnx_finish(node, "onnx.SequenceConstruct", NULL, inputs, count);
    }
    tn_free(node->host, inputs);
    return status;
}

/* A value is an optional value as it is. */
static tn_status optional(struct onnx_node *node) {
    tn_value value;
    onnx_ignore(node, "type");
    if (onnx_input_count(node) == 0) {
        return onnx_finish(node, "onnx.OptionalEmpty", NULL, NULL, 0);
    }
    TN_TRY(onnx_input(node, 0, &value));
    return onnx_finish(node, "_copy", NULL, &value, 1);
}

const struct onnx_mapping sequence_mappings[] = {
    {"ConcatFromSequence", 11, onnx_same, NULL, 1},
    {"Optional", 15, optional, NULL, 0},
    {"OptionalGetElement", 15, onnx_same, NULL, 1},
    {"OptionalHasElement", 15, onnx_same, NULL, 1},
    {"SequenceAt", 11, onnx_same, NULL, 2},
    {"SequenceConstruct", 11, sequence_construct, NULL, 0},
    {"SequenceEmpty", 11, sequence_empty, NULL, 0},
    {"SequenceErase", 11, onnx_same, NULL, 2},
    {"SequenceInsert", 11, onnx_same, NULL, 3},
    {"SequenceLength", 11, onnx_same, NULL, 1},
    {"SplitToSequence", 11, onnx_same, NULL, 2},
    {0},
};
