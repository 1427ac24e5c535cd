/* Copying a graph; tensors are shared. */
#include "base/error.h"
#include "graph/extract.h"

static tn_status clone_subgraphs(const tni_node *source, tn_graph *copy, uint32_t number);

static tn_status clone_extras(const tni_node *source, tn_graph *copy, uint32_t number) {
    for (uint32_t i = 0; i < source->annotation_count; i++) {
        TNI_TRY(tn_graph_annotate(copy, number, source->annotations[i].name,
                                  source->annotations[i].value));
    }
    return clone_subgraphs(source, copy, number);
}

tn_status tni_graph_copy_node(const tni_node *source, tn_graph *graph, uint32_t *out_number) {
    tn_value *absent = tni_arena_allocate(&graph->arena, source->input_count, sizeof *absent);
    if (absent == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < source->input_count; i++) {
        absent[i] = (tn_value){TN_NO_NODE, 0};
    }
    TNI_TRY(tn_graph_add_node(graph, source->entry->entry->name, source->name, source->attributes,
                              source->attribute_count, absent, source->input_count, out_number));
    return clone_extras(source, graph, *out_number);
}

tn_status tni_graph_clone_node(const tni_node *source, tn_graph *copy) {
    uint32_t number;
    if (source->op != NULL) {
        /* Inputs may refer to later nodes: until all are there they are absent. */
        return tni_graph_copy_node(source, copy, &number);
    }
    TNI_TRY(tn_graph_add_variable(copy, source->name, &source->declared, &number));
    if (source->parameter != NULL) {
        TNI_TRY(tn_graph_set_parameter(copy, source->name, source->parameter));
    }
    return clone_extras(source, copy, number);
}

/* A number of the source in the copy, which has no holes. */
static uint32_t number_in(const uint32_t *numbers, uint32_t number) {
    return number == TN_NO_NODE ? TN_NO_NODE : numbers[number];
}

static tn_status clone_links(const tni_node *source, tn_graph *copy, uint32_t number,
                             const uint32_t *numbers) {
    for (uint32_t i = 0; i < source->input_count; i++) {
        const tn_value input = {number_in(numbers, source->inputs[i].node),
                                source->inputs[i].output};
        TNI_TRY(tni_graph_connect(copy, number, i, input));
    }
    for (uint32_t i = 0; i < source->control_count; i++) {
        TNI_TRY(tn_graph_add_control(copy, number, numbers[source->controls[i]]));
    }
    return TN_OK;
}

static tn_status clone_outputs(const tn_graph *source, tn_graph *copy, const uint32_t *numbers) {
    tn_value *outputs = tni_arena_allocate(&copy->arena, source->output_count, sizeof *outputs);
    if (outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < source->output_count; i++) {
        outputs[i] = (tn_value){numbers[source->outputs[i].node], source->outputs[i].output};
    }
    TNI_TRY(tn_graph_set_outputs(copy, outputs, source->output_count));
    for (uint32_t i = 0; i < source->output_count; i++) {
        TNI_TRY(tn_graph_name_output(copy, i, source->output_names[i]));
    }
    return TN_OK;
}

static tn_status clone_into(const tn_graph *source, tn_graph *copy) {
    uint32_t *numbers = tni_allocate(source->node_count, sizeof *numbers);
    if (numbers == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_status status = TN_OK;
    for (uint32_t i = 0; status == TN_OK && i < source->node_count; i++) {
        numbers[i] = copy->node_count;
        if (!source->nodes[i]->removed) {
            status = tni_graph_clone_node(source->nodes[i], copy);
        }
    }
    for (uint32_t i = 0; status == TN_OK && i < source->node_count; i++) {
        if (!source->nodes[i]->removed) {
            status = clone_links(source->nodes[i], copy, numbers[i], numbers);
        }
    }
    if (status == TN_OK) {
        status = clone_outputs(source, copy, numbers);
    }
    tni_free(numbers);
    return status;
}

static tn_status clone_subgraphs(const tni_node *source, tn_graph *copy, uint32_t number) {
    for (uint32_t i = 0; i < source->subgraph_count; i++) {
        tn_graph *subgraph;
        TNI_TRY(tn_graph_add_subgraph(copy, number, &subgraph));
        TNI_TRY(clone_into(source->subgraphs[i], subgraph));
    }
    return TN_OK;
}

tn_status tni_graph_clone(const tn_graph *graph, tni_holder holder, tn_graph **out_graph) {
    tn_graph *copy;
    TNI_TRY(tni_graph_create_for(graph->runtime, holder, &copy));
    const tn_status status = clone_into(graph, copy);
    if (status != TN_OK) {
        tn_graph_destroy(copy);
        return status;
    }
    *out_graph = copy;
    return TN_OK;
}
