#include "graph/extract.h"

#include <stdio.h>

#include "base/error.h"
#include "graph/values.h"

typedef struct extraction {
    const tn_graph *source;
    tni_part *part;
    tni_arena *arena;
    tn_value **values; /* by node of the source, by output: the value in the part */
} extraction;

static tn_value *place_of(const extraction *work, tn_value value) {
    return &work->values[value.node][value.output];
}

static tn_status make_places(extraction *work, uint32_t *out_total) {
    const tn_graph *source = work->source;
    *out_total = 0;
    work->values = tni_arena_allocate(work->arena, source->node_count, sizeof *work->values);
    for (uint32_t i = 0; work->values != NULL && i < source->node_count; i++) {
        const uint32_t outputs = source->nodes[i]->output_count;
        work->values[i] = tni_arena_allocate(work->arena, outputs, sizeof **work->values);
        if (work->values[i] == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        for (uint32_t j = 0; j < outputs; j++) {
            work->values[i][j].node = TN_NO_NODE;
        }
        *out_total += outputs;
    }
    return work->values == NULL ? TN_OUT_OF_MEMORY : TN_OK;
}

/* A name for a variable: that of the value, unless a node has it. */
static tn_status add_border(extraction *work, tn_value value) {
    tn_graph *graph = work->part->graph;
    tn_value *place = place_of(work, value);
    char name[600];
    snprintf(name, sizeof name, "%.500s", tn_graph_value_name(work->source, value));
    for (uint32_t i = 0; tn_graph_find_node(graph, name) != TN_NO_NODE; i++) {
        snprintf(name, sizeof name, "%.500s_%u", tn_graph_value_name(work->source, value), i);
    }
    tn_tensor *elements = tni_values_find(work->source, value);
    if (elements != NULL) {
        TNI_TRY(tn_graph_add_parameter(graph, name, elements, &place->node));
        place->output = 0;
        return TN_OK;
    }
    const tn_tensor_type *type =
        work->source->types != NULL ? &work->source->types[value.node][value.output] : NULL;
    TNI_TRY(tn_graph_add_variable(graph, name, type, &place->node));
    place->output = 0;
    work->part->borders[work->part->border_count] = value;
    work->part->variables[work->part->border_count++] = place->node;
    return TN_OK;
}

/* The value in the part, made a variable of it where it comes from outside. */
static tn_status find_value(extraction *work, tn_value value, tn_value *out_value) {
    if (value.node == TN_NO_NODE) {
        *out_value = value;
        return TN_OK;
    }
    if (place_of(work, value)->node == TN_NO_NODE) {
        TNI_TRY(add_border(work, value));
    }
    *out_value = *place_of(work, value);
    return TN_OK;
}

static tn_status add_node(extraction *work, uint32_t number) {
    const tni_node *source = work->source->nodes[number];
    tn_graph *graph = work->part->graph;
    uint32_t copy;
    for (uint32_t i = 0; i < source->input_count;
         i++) { /* before the node: they may be variables */
        tn_value ignored;
        TNI_TRY(find_value(work, source->inputs[i], &ignored));
    }
    TNI_TRY(tni_graph_copy_node(source, graph, &copy));
    for (uint32_t i = 0; i < source->input_count; i++) {
        tn_value input;
        TNI_TRY(find_value(work, source->inputs[i], &input));
        TNI_TRY(tni_graph_connect(graph, copy, i, input));
    }
    for (uint32_t i = 0; i < source->output_count; i++) {
        work->values[number][i] = (tn_value){copy, i};
    }
    return TN_OK;
}

static tn_status fill(extraction *work, const unsigned char *is_in, const tn_value *outputs,
                      uint32_t output_count) {
    const uint32_t *order;
    uint32_t count, total;
    TNI_TRY(make_places(work, &total));
    work->part->borders = tni_arena_allocate(work->arena, total, sizeof(tn_value));
    work->part->variables = tni_arena_allocate(work->arena, total, sizeof(uint32_t));
    tn_value *made = tni_arena_allocate(work->arena, output_count, sizeof *made);
    if (work->part->borders == NULL || work->part->variables == NULL || made == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(tni_graph_order(work->source, &order, &count));
    for (uint32_t i = 0; i < count; i++) {
        if (is_in[order[i]]) {
            TNI_TRY(add_node(work, order[i]));
        }
    }
    for (uint32_t i = 0; i < output_count; i++) {
        TNI_TRY(find_value(work, outputs[i], &made[i]));
    }
    return tn_graph_set_outputs(work->part->graph, made, output_count);
}

tn_status tni_graph_extract(const tn_graph *source, const unsigned char *is_in,
                            const tn_value *outputs, uint32_t output_count, tni_holder holder,
                            tni_arena *arena, tni_part *out_part) {
    tni_part part = {0};
    TNI_TRY(tni_graph_create_for(source->runtime, holder, &part.graph));
    extraction work = {.source = source, .part = &part, .arena = arena};
    const tn_status status = fill(&work, is_in, outputs, output_count);
    if (status != TN_OK) {
        tn_graph_destroy(part.graph);
        return status;
    }
    *out_part = part;
    return TN_OK;
}
