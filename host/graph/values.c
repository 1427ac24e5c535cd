#include "graph/values.h"

#include "base/error.h"
#include "plugin/runtime.h"
#include "tensor/tensor.h"

/* What is computed ahead are shapes, not weights. */
enum { MAX_BYTES = 1 << 16 };

static bool reads_value(const tn_op *op, uint32_t input) {
    for (uint32_t i = 0; i < op->value_input_count; i++) {
        if (op->value_inputs[i] == input) {
            return true;
        }
    }
    return false;
}

/* By another node. What only the graph gives is for its caller: an eager call of one node computes
 * it here, and must not ask for it again. */
static bool is_read(const tni_node *node) {
    for (uint32_t i = 0; i < node->use_count; i++) {
        if (node->uses[i].node != TN_NO_NODE && node->uses[i].input != TN_USE_CONTROL) {
            return true;
        }
    }
    return false;
}

tn_status tni_values_find_wanted(const tn_graph *graph, const uint32_t *order, uint32_t count,
                                 tni_arena *arena, unsigned char **out_wanted) {
    unsigned char *wanted = tni_arena_allocate(arena, graph->node_count, 1);
    if (wanted == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = count; i-- > 0;) {
        const tni_node *node = graph->nodes[order[i]];
        if (node->op == NULL) {
            continue;
        }
        const bool reads_types = (node->op->flags & TN_OP_READS_TYPES) != 0;
        const bool is_wanted = wanted[order[i]] && !reads_types;
        if (reads_types && is_read(node)) {
            wanted[order[i]] = 1; /* it costs nothing to know, and is not asked of a device then */
        }
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j].node != TN_NO_NODE && (is_wanted || reads_value(node->op, j))) {
                wanted[node->inputs[j].node] = 1;
            }
        }
    }
    *out_wanted = wanted;
    return TN_OK;
}

tn_status tni_values_begin(tn_graph *graph, tn_tensor *const *given) {
    graph->values =
        tni_arena_allocate(&graph->types_arena, graph->node_count, sizeof *graph->values);
    graph->value_counts =
        tni_arena_allocate(&graph->types_arena, graph->node_count, sizeof *graph->value_counts);
    if (graph->values == NULL || graph->value_counts == NULL) {
        graph->values = NULL;
        return TN_OUT_OF_MEMORY;
    }
    graph->valued_count = graph->node_count;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const uint32_t outputs = graph->nodes[i]->output_count;
        graph->values[i] = tni_arena_allocate(&graph->types_arena, outputs, sizeof **graph->values);
        if (graph->values[i] == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        graph->value_counts[i] = outputs;
        if (given != NULL && given[i] != NULL && outputs > 0) {
            tn_tensor_retain(given[i]);
            graph->values[i][0] = given[i];
        }
    }
    return TN_OK;
}

void tni_values_drop(tn_graph *graph) {
    for (uint32_t i = 0; graph->values != NULL && i < graph->valued_count; i++) {
        for (uint32_t j = 0; j < graph->value_counts[i]; j++) {
            tn_tensor_release(graph->values[i][j]);
        }
    }
    graph->values = NULL;
}

tn_tensor *tni_values_find(const tn_graph *graph, tn_value value) {
    if (value.node == TN_NO_NODE) {
        return NULL;
    }
    tn_tensor *parameter = graph->nodes[value.node]->parameter;
    if (parameter != NULL) {
        return tn_tensor_data(parameter) != NULL ? parameter : NULL;
    }
    return graph->values != NULL && value.node < graph->valued_count
               ? graph->values[value.node][value.output]
               : NULL;
}

static bool outputs_are_known(const tn_graph *graph, uint32_t number) {
    for (uint32_t i = 0; i < graph->nodes[number]->output_count; i++) {
        uint64_t size;
        if (!tni_type_byte_size(&graph->types[number][i], &size) || size > MAX_BYTES) {
            return false;
        }
    }
    return true;
}

/* A tensor of the right type for an operator that reads no elements: its memory is nothing. */
static tn_status stand_in(const tn_graph *graph, const tn_tensor_type *type,
                          tn_tensor **out_tensor) {
    static uint64_t nothing[8];
    uint64_t size;
    tni_storage *storage;
    if (!tni_type_byte_size(type, &size)) {
        return TN_UNSUPPORTED;
    }
    TNI_TRY(tni_storage_wrap(nothing, size, NULL, NULL, &storage));
    const tn_status status = tni_tensor_over(graph->runtime, storage, 0, type->dtype,
                                             type->shape.rank, type->shape.extents, out_tensor);
    tni_storage_release(storage);
    return status;
}

/* The node's inputs as tensors; `out_all` is false when some are not known. */
static tn_status gather(const tn_graph *graph, const tni_node *node, tn_tensor **inputs,
                        bool *out_all) {
    *out_all = true;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const tn_value value = node->inputs[i];
        if (value.node == TN_NO_NODE) {
            continue;
        }
        const tn_tensor_type *type = &graph->types[value.node][value.output];
        if (node->op->flags & TN_OP_READS_TYPES) {
            *out_all = tni_type_is_known(type);
            if (*out_all) {
                TNI_TRY(stand_in(graph, type, &inputs[i]));
            }
        } else {
            inputs[i] = tni_values_find(graph, value);
            *out_all = inputs[i] != NULL;
            if (*out_all) {
                tn_tensor_retain(inputs[i]);
            }
        }
        if (!*out_all) {
            return TN_OK;
        }
    }
    return TN_OK;
}

tn_status tni_values_compute(tn_graph *graph, uint32_t number, bool *out_computed) {
    const tni_node *node = graph->nodes[number];
    *out_computed = false;
    if (node->op == NULL || node->subgraph_count > 0 || node->mutated_input_count > 0 ||
        (node->op->flags & (TN_OP_STATEFUL | TN_OP_DATA_DEPENDENT)) ||
        graph->values[number][0] != NULL || !outputs_are_known(graph, number)) {
        return TN_OK;
    }
    tni_arena arena = {0};
    tn_tensor **inputs = tni_arena_allocate(&arena, node->input_count, sizeof *inputs);
    bool all = false;
    tn_status status = inputs == NULL ? TN_OUT_OF_MEMORY : gather(graph, node, inputs, &all);
    if (status == TN_OK && all) {
        status = graph->runtime->compute_node(NULL, graph, number, inputs, node->input_count,
                                              graph->values[number], node->visible_output_count);
        *out_computed = status == TN_OK;
        if (status == TN_UNSUPPORTED) { /* no kernel for it on the CPU: then the run must do it */
            tni_error_clear();
            status = TN_OK;
        }
    }
    for (uint32_t i = 0; inputs != NULL && i < node->input_count; i++) {
        tn_tensor_release(inputs[i]);
    }
    tni_arena_finish(&arena);
    return status;
}
