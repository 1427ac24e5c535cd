/*
 * The gradient of a node that stands for a subgraph: the subgraph is differentiated, and what that
 * adds becomes the graph of a second node. The first gets an output for each value inside that the
 * second reads, so that nothing is computed twice, and what is random or keeps something is the
 * same for both.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "graph/extract.h"
#include "graph/gradient.h"

typedef struct descent {
    tni_backward *outer;
    uint32_t number;      /* of the node */
    tn_graph *inner;      /* a copy of its subgraph, while it changes */
    uint32_t node_count;  /* that it had */
    uint32_t first_count; /* of outputs that it had */
    tn_value *seeds;      /* by output: a variable of `inner`, or TN_NO_NODE */
    uint32_t *inputs;     /* the subgraph's inputs whose gradients are wanted: variables */
    uint32_t *indices;    /* of these among the node's inputs */
    uint32_t input_count;
    tn_value *gradients; /* of these, in `inner` */
    tn_value *outputs;   /* of `inner`, as they come to be */
    uint32_t output_count;
    tni_arena arena;
} descent;

static const tni_node *node_of(const descent *work) {
    return work->outer->graph->nodes[work->number];
}

static tn_value flow_of(const descent *work, uint32_t output) {
    return work->outer->gradients[work->number][output];
}

static tn_status prepare(descent *work) {
    const tni_node *node = node_of(work);
    TNI_TRY(tni_graph_clone(node->subgraphs[0], work->outer->graph->holder, &work->inner));
    const tn_graph *inner = work->inner;
    work->node_count = inner->node_count;
    work->first_count = inner->output_count;
    work->seeds = tni_arena_allocate(&work->arena, inner->output_count, sizeof *work->seeds);
    work->inputs = tni_arena_allocate(&work->arena, node->input_count, sizeof *work->inputs);
    work->indices = tni_arena_allocate(&work->arena, node->input_count, sizeof *work->indices);
    work->gradients = tni_arena_allocate(&work->arena, node->input_count, sizeof *work->gradients);
    if (work->seeds == NULL || work->inputs == NULL || work->indices == NULL ||
        work->gradients == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0, input = 0; i < inner->node_count; i++) {
        if (!tni_node_is_subgraph_input(inner->nodes[i])) {
            continue;
        }
        const uint32_t source = input < node->input_count ? node->inputs[input].node : TN_NO_NODE;
        if (source < work->outer->forward_nodes && work->outer->is_reached[source]) {
            work->inputs[work->input_count] = i;
            work->indices[work->input_count++] = input;
        }
        input++;
    }
    return TN_OK;
}

/* A variable for the gradient of each output that something flows into. */
static tn_status add_seeds(descent *work) {
    for (uint32_t i = 0; i < work->first_count; i++) {
        char name[32];
        work->seeds[i] = (tn_value){TN_NO_NODE, 0};
        for (uint32_t number = i; flow_of(work, i).node != TN_NO_NODE; number++) {
            snprintf(name, sizeof name, "output_gradient%u", number);
            if (tn_graph_find_node(work->inner, name) == TN_NO_NODE) {
                TNI_TRY(tn_graph_add_variable(work->inner, name, NULL, &work->seeds[i].node));
                break;
            }
        }
    }
    return TN_OK;
}

static bool is_seed(const descent *work, tn_value value, uint32_t *out_output) {
    for (uint32_t i = 0; i < work->first_count; i++) {
        if (value.node != TN_NO_NODE && work->seeds[i].node == value.node) {
            *out_output = i;
            return true;
        }
    }
    return false;
}

/* The outputs that there were, and room for `more` after them. */
static tn_status list_outputs(descent *work, uint32_t more) {
    work->outputs =
        tni_arena_allocate(&work->arena, (size_t)work->first_count + more, sizeof *work->outputs);
    if (work->outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    work->output_count = work->first_count;
    for (uint32_t i = 0; i < work->first_count; i++) {
        work->outputs[i] = work->inner->outputs[i];
    }
    return TN_OK;
}

/* The nodes that differentiating added, as a graph. Its outputs are the gradients that are no
 * output's gradient handed on. */
static tn_status extract(descent *work, uint32_t forward_nodes, tni_part *out_part) {
    tn_graph *inner = work->inner;
    unsigned char *is_in = tni_arena_allocate(&work->arena, inner->node_count, 1);
    tn_value *made = tni_arena_allocate(&work->arena, work->input_count, sizeof *made);
    uint32_t count = 0, ignored;
    if (is_in == NULL || made == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = forward_nodes; i < inner->node_count; i++) {
        is_in[i] = 1;
    }
    for (uint32_t i = 0; i < work->input_count; i++) {
        if (work->gradients[i].node != TN_NO_NODE && !is_seed(work, work->gradients[i], &ignored)) {
            made[count++] = work->gradients[i];
        }
    }
    out_part->graph = NULL;
    if (count == 0) {
        return TN_OK;
    }
    TNI_TRY(list_outputs(work, count));
    for (uint32_t i = 0; i < count; i++) {
        work->outputs[work->output_count + i] = made[i];
    }
    TNI_TRY(tn_graph_set_outputs(inner, work->outputs, work->output_count + count));
    return tni_graph_extract(inner, is_in, made, count, inner->holder, &work->arena, out_part);
}

/* What the second node reads for a value inside: an output's gradient, an input of the first node,
 * or an output of it, made where there is none. */
static tn_value outer_value(descent *work, tn_value value) {
    const tni_node *node = node_of(work);
    uint32_t index, input = 0;
    if (is_seed(work, value, &index)) {
        return flow_of(work, index);
    }
    for (uint32_t i = 0; i < work->node_count; i++) {
        if (tni_node_is_subgraph_input(work->inner->nodes[i]) && input < node->input_count) {
            if (i == value.node) {
                return node->inputs[input];
            }
            input++;
        }
    }
    for (index = 0; index < work->output_count; index++) {
        if (work->outputs[index].node == value.node &&
            work->outputs[index].output == value.output) {
            break;
        }
    }
    if (index == work->output_count) {
        work->outputs[work->output_count++] = value;
    }
    return (tn_value){work->number, index};
}

/* The first node's subgraph becomes what it was, with further outputs. */
static tn_status replace_subgraph(descent *work) {
    tni_backward *outer = work->outer;
    tn_graph *subgraph = node_of(work)->subgraphs[0];
    TNI_TRY(tn_graph_set_outputs(work->inner, work->outputs, work->output_count));
    tni_graph_truncate(work->inner, work->node_count);
    void *replaced = outer->replaced;
    TNI_TRY(tni_grow(&replaced, &outer->replaced_capacity, outer->replaced_count + 1,
                     sizeof *outer->replaced));
    outer->replaced = replaced;
    tni_graph_exchange(subgraph, work->inner);
    outer->replaced[outer->replaced_count++] = (tni_replaced_subgraph){subgraph, work->inner};
    work->inner = NULL;
    return tni_graph_tell_parent(subgraph);
}

/* The node that stands for what differentiating added. */
static tn_status add_backward_node(descent *work, const tni_part *part, uint32_t *out_node) {
    tn_graph *graph = work->outer->graph;
    const tni_node *node = node_of(work);
    const bool is_alike = strcmp(node->entry->entry->name, "subgraph") == 0;
    tn_value *inputs = tni_arena_allocate(&work->arena, part->border_count, sizeof *inputs);
    if (inputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(list_outputs(work, part->border_count));
    for (uint32_t i = 0; i < part->border_count; i++) {
        inputs[i] = outer_value(work, part->borders[i]);
    }
    TNI_TRY(replace_subgraph(work));
    return tn_graph_add_node(graph, "subgraph", NULL, is_alike ? node->attributes : NULL,
                             is_alike ? node->attribute_count : 0, inputs, part->border_count,
                             out_node);
}

static void take_results(const descent *work, uint32_t backward_node, tn_value *out_results) {
    uint32_t output, count = 0;
    for (uint32_t i = 0; i < work->input_count; i++) {
        tn_value *result = &out_results[work->indices[i]];
        if (is_seed(work, work->gradients[i], &output)) {
            *result = flow_of(work, output);
        } else if (work->gradients[i].node != TN_NO_NODE) {
            *result = (tn_value){backward_node, count++};
        }
    }
}

static tn_status descend(descent *work, tn_value *out_results) {
    tni_part part = {0};
    uint32_t backward_node = TN_NO_NODE;
    TNI_TRY(prepare(work));
    TNI_TRY(add_seeds(work));
    const uint32_t forward_nodes = work->inner->node_count;
    TNI_TRY(tni_backward_run(work->inner, work->seeds, work->inputs, work->input_count,
                             work->gradients));
    TNI_TRY(extract(work, forward_nodes, &part));
    if (part.graph != NULL) {
        tn_status status = add_backward_node(work, &part, &backward_node);
        if (status == TN_OK) {
            status = tni_graph_give_subgraph(work->outer->graph, backward_node, part.graph);
        }
        if (status != TN_OK) {
            tn_graph_destroy(part.graph);
            return status;
        }
    }
    take_results(work, backward_node, out_results);
    return TN_OK;
}

tn_status tni_backward_through(tni_backward *work, uint32_t number, tn_value *out_results) {
    descent down = {.outer = work, .number = number};
    const tn_status status = descend(&down, out_results);
    tn_graph_destroy(down.inner);
    tni_arena_finish(&down.arena);
    return tni_in(status, "its subgraph");
}
