/*
 * Inference to a fixed point. Nodes whose surroundings changed are asked again, forwards and
 * backwards in turn, until nothing changes: facts travel from inputs to outputs and back to
 * variables that nobody described (weights).
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "graph/graph.h"
#include "graph/values.h"

enum { MAX_SWEEPS = 64, MAX_ROUNDS = 4 };

/* The work of one graph. Consumers of node n are users[first_user[n]] up to first_user[n + 1]. */
typedef struct inference_work {
    tn_graph *graph;
    const uint32_t *order;
    uint32_t count;
    uint32_t *first_user, *users;
    unsigned char *pending; /* by node */
    unsigned char *wanted;  /* by node: its elements would help */
    bool any_pending;
    tni_arena scratch;
} inference_work;

void tni_graph_drop_types(tn_graph *graph) {
    tni_values_drop(graph);
    graph->types = NULL;
    tni_arena_finish(&graph->types_arena);
}

static tn_status allocate_types(tn_graph *graph, tn_tensor *const *elements) {
    tni_graph_drop_types(graph);
    tn_tensor_type **types =
        tni_arena_allocate(&graph->types_arena, graph->node_count, sizeof *types);
    for (uint32_t i = 0; types != NULL && i < graph->node_count; i++) {
        const uint32_t outputs = graph->nodes[i]->output_count;
        types[i] = tni_arena_allocate(&graph->types_arena, outputs, sizeof **types);
        if (types[i] == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        for (uint32_t j = 0; j < outputs; j++) {
            types[i][j] = tni_type_unknown();
        }
    }
    graph->types = types;
    graph->typed_count = graph->node_count;
    return types == NULL ? TN_OUT_OF_MEMORY : tni_values_begin(graph, elements);
}

static tn_status list_users(inference_work *work) {
    const tn_graph *graph = work->graph;
    const uint32_t count = graph->node_count;
    work->first_user = tni_arena_allocate(&work->scratch, count + 1, sizeof(uint32_t));
    if (work->first_user == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    uint32_t total = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        const tni_node *node = graph->nodes[work->order[i]];
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (node->inputs[j].node != TN_NO_NODE) {
                work->first_user[node->inputs[j].node + 1]++;
                total++;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        work->first_user[i + 1] += work->first_user[i];
    }
    uint32_t *filled = tni_arena_allocate(&work->scratch, count, sizeof(uint32_t));
    work->users = tni_arena_allocate(&work->scratch, total, sizeof(uint32_t));
    if (filled == NULL || work->users == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < work->count; i++) {
        const uint32_t number = work->order[i];
        const tni_node *node = graph->nodes[number];
        for (uint32_t j = 0; j < node->input_count; j++) {
            const uint32_t source = node->inputs[j].node;
            if (source != TN_NO_NODE) {
                work->users[work->first_user[source] + filled[source]++] = number;
            }
        }
    }
    return TN_OK;
}

static void mark(inference_work *work, uint32_t node) {
    work->pending[node] = 1;
    work->any_pending = true;
}

/* A value of `node` became more precise: its maker and its users may learn from it. */
static void mark_around(inference_work *work, uint32_t node, uint32_t except) {
    if (work->graph->nodes[node]->op != NULL && node != except) {
        mark(work, node);
    }
    for (uint32_t i = work->first_user[node]; i < work->first_user[node + 1]; i++) {
        if (work->users[i] != except) {
            mark(work, work->users[i]);
        }
    }
}

static tn_status merge_back(inference_work *work, uint32_t number, tn_value value,
                            const tn_tensor_type *fact, const char *what, uint32_t index) {
    bool changed = false;
    tn_tensor_type *known = &work->graph->types[value.node][value.output];
    if (!tni_type_merge(known, fact, &changed)) {
        char have[600], found[600];
        return tni_fail(TN_INVALID_ARGUMENT, "%s %u is %s, but inference says %s", what, index,
                        tni_type_text(known, have, sizeof have),
                        tni_type_text(fact, found, sizeof found));
    }
    if (changed) {
        mark_around(work, value.node, number);
    }
    return TN_OK;
}

/* Subgraph types, in arrays that the operator fills in: of the variables that have no tensor. */
typedef struct subgraph_types {
    tn_tensor_type **inputs;
    tn_tensor_type **outputs;
    uint32_t *input_counts;
    uint32_t *output_counts;
} subgraph_types;

static tn_status describe_subgraph(tni_arena *arena, const tn_graph *subgraph,
                                   tn_tensor_type **out_inputs, uint32_t *out_input_count,
                                   tn_tensor_type **out_outputs, uint32_t *out_output_count) {
    const uint32_t variables = tni_graph_variable_count(subgraph);
    tn_tensor_type *inputs = tni_arena_allocate(arena, variables, sizeof *inputs);
    tn_tensor_type *outputs = tni_arena_allocate(arena, subgraph->output_count, sizeof *outputs);
    if (inputs == NULL || outputs == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    uint32_t filled = 0;
    for (uint32_t i = 0; i < subgraph->node_count; i++) {
        if (tni_node_is_variable(subgraph->nodes[i]) && subgraph->nodes[i]->parameter == NULL) {
            inputs[filled++] =
                subgraph->types != NULL ? subgraph->types[i][0] : subgraph->nodes[i]->declared;
        }
    }
    for (uint32_t i = 0; i < subgraph->output_count; i++) {
        const tn_value value = subgraph->outputs[i];
        outputs[i] = subgraph->types != NULL ? subgraph->types[value.node][value.output]
                                             : tni_type_unknown();
    }
    *out_inputs = inputs;
    *out_input_count = filled;
    *out_outputs = outputs;
    *out_output_count = subgraph->output_count;
    return TN_OK;
}

static tn_status describe_subgraphs(tni_arena *arena, const tni_node *node,
                                    subgraph_types *out_types) {
    const uint32_t count = node->subgraph_count;
    subgraph_types types = {tni_arena_allocate(arena, count, sizeof(tn_tensor_type *)),
                            tni_arena_allocate(arena, count, sizeof(tn_tensor_type *)),
                            tni_arena_allocate(arena, count, sizeof(uint32_t)),
                            tni_arena_allocate(arena, count, sizeof(uint32_t))};
    if (types.inputs == NULL || types.outputs == NULL || types.input_counts == NULL ||
        types.output_counts == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        TNI_TRY(describe_subgraph(arena, node->subgraphs[i], &types.inputs[i],
                                  &types.input_counts[i], &types.outputs[i],
                                  &types.output_counts[i]));
    }
    *out_types = types;
    return TN_OK;
}

static tn_status infer_from(tn_graph *graph, const tn_tensor_type *variables,
                            const tn_tensor_type *outputs, tn_tensor *const *elements);

/* All variables of a subgraph: as the operator says, or as their tensors are. */
static tn_status infer_subgraph(tni_arena *arena, tn_graph *subgraph, const tn_tensor_type *inputs,
                                const tn_tensor_type *outputs) {
    tn_tensor_type *known =
        tni_arena_allocate(arena, tni_graph_variable_count(subgraph), sizeof *known);
    if (known == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    uint32_t variable = 0, input = 0;
    for (uint32_t i = 0; i < subgraph->node_count; i++) {
        const tni_node *node = subgraph->nodes[i];
        if (tni_node_is_variable(node)) {
            known[variable++] =
                node->parameter == NULL ? inputs[input++] : tni_tensor_type(node->parameter);
        }
    }
    return infer_from(subgraph, known, outputs, NULL);
}

/* What the inference has found of the variables that stand for inputs. Storage is settled at the
 * end of each inference: it is no news. */
static void learn_inputs(const tn_graph *subgraph, tn_tensor_type *inputs, bool *out_changed) {
    uint32_t input = 0;
    for (uint32_t i = 0; i < subgraph->node_count; i++) {
        if (tni_node_is_subgraph_input(subgraph->nodes[i])) {
            tn_tensor_type found = subgraph->types[i][0];
            found.storage = TN_STORAGE_UNKNOWN;
            (void)tni_type_merge(&inputs[input++], &found, out_changed);
        }
    }
}

/* Infers the subgraphs from what the operator said of their inputs; whether anything came of it. A
 * graph that may never run (a branch) need not fit: then nothing is known of it. */
static tn_status infer_subgraphs(tni_arena *arena, const tni_node *node,
                                 const subgraph_types *types, bool *out_changed) {
    for (uint32_t i = 0; i < node->subgraph_count; i++) {
        tn_graph *subgraph = node->subgraphs[i];
        const tn_status status =
            infer_subgraph(arena, subgraph, types->inputs[i], types->outputs[i]);
        if (status != TN_OK && status != TN_OUT_OF_MEMORY &&
            (node->op->flags & TN_OP_DATA_DEPENDENT)) {
            tni_error_clear();
            continue;
        }
        TNI_TRY(tni_in(status, "subgraph %u", i));
        learn_inputs(subgraph, types->inputs[i], out_changed);
        for (uint32_t j = 0; j < subgraph->output_count; j++) {
            const tn_value value = subgraph->outputs[j];
            tn_tensor_type before = types->outputs[i][j];
            if (!tni_type_merge(&before, &subgraph->types[value.node][value.output], out_changed)) {
                return tni_fail(TN_INVALID_ARGUMENT, "subgraph %u: output %u changes its type", i,
                                j);
            }
        }
    }
    return TN_OK;
}

static void gather_inputs(const inference_work *work, const tni_node *node, tn_tensor_type *types,
                          const tn_view **values) {
    const tn_graph *graph = work->graph;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const tn_value value = node->inputs[i];
        if (value.node == TN_NO_NODE) {
            types[i] = tni_type_unknown();
            continue;
        }
        types[i] = graph->types[value.node][value.output];
        const tn_tensor *elements = tni_values_find(graph, value);
        values[i] = elements != NULL ? tn_tensor_view(elements) : NULL;
    }
}

/* A node that stands for its subgraph: what either side knows of inputs and outputs, the other
 * learns. */
static tn_status infer_through(const tn_infer_call *call, const subgraph_types *types) {
    bool changed = false;
    for (uint32_t i = 0; i < call->input_count && i < types->input_counts[0]; i++) {
        tn_tensor_type *outer = &call->inputs[i], *inner = &types->inputs[0][i];
        if (!tni_type_merge(inner, outer, &changed) || !tni_type_merge(outer, inner, &changed)) {
            char have[600], given[600];
            return tni_fail(TN_INVALID_ARGUMENT, "input %u is %s, but the subgraph's is %s", i,
                            tni_type_text(outer, given, sizeof given),
                            tni_type_text(inner, have, sizeof have));
        }
    }
    for (uint32_t i = 0; i < call->output_count && i < types->output_counts[0]; i++) {
        tn_tensor_type *outer = &call->outputs[i], *inner = &types->outputs[0][i];
        if (!tni_type_merge(outer, inner, &changed) || !tni_type_merge(inner, outer, &changed)) {
            return tni_fail(TN_INVALID_ARGUMENT, "output %u contradicts the subgraph's", i);
        }
    }
    return TN_OK;
}

/* The node's elements, where somebody's inference reads them; its users are then asked again. */
static tn_status compute_values(inference_work *work, uint32_t number) {
    bool computed = false;
    if (work->wanted[number]) {
        TNI_TRY(tni_values_compute(work->graph, number, &computed));
    }
    if (computed) {
        mark_around(work, number, number);
    }
    return TN_OK;
}

/* Whether the node's operator knows of storages. To others all is dense: sparse inputs are
 * converted for them when a plan is made. */
static bool knows_storages(const tni_node *node) {
    return node->op != NULL && (node->op->flags & (TN_OP_SPARSE | TN_OP_SUBGRAPH)) != 0 &&
           !node->is_dense;
}

static void set_storages(tn_tensor_type *types, uint32_t count, uint32_t storage) {
    for (uint32_t i = 0; i < count; i++) {
        types[i].storage = storage;
    }
}

static void show_dense(const tni_node *node, tn_tensor_type *inputs, tn_tensor_type *outputs) {
    if (!knows_storages(node)) {
        set_storages(inputs, node->input_count, TN_STORAGE_DENSE);
        set_storages(outputs, node->output_count,
                     node->op->infer == NULL ? TN_STORAGE_DENSE : TN_STORAGE_UNKNOWN);
    }
}

/* What it makes is dense, and nothing follows for an input from what it was shown. */
static void take_dense(const tni_node *node, tn_tensor_type *inputs, tn_tensor_type *outputs) {
    if (!knows_storages(node)) {
        set_storages(inputs, node->input_count, TN_STORAGE_UNKNOWN);
        set_storages(outputs, node->output_count, TN_STORAGE_DENSE);
    }
}

static tn_status ask_operator(tn_infer_call *call, const subgraph_types *subgraphs) {
    if ((call->op->flags & TN_OP_SUBGRAPH) != 0) {
        TNI_TRY(infer_through(call, subgraphs));
    }
    return call->op->infer != NULL ? tni_error_complete(call->op->infer(call)) : TN_OK;
}

static tn_status infer_node(inference_work *work, uint32_t number) {
    const tn_graph *graph = work->graph;
    const tni_node *node = graph->nodes[number];
    tni_arena arena = {0};
    tn_tensor_type *types =
        tni_arena_allocate(&arena, (size_t)node->input_count + node->output_count, sizeof *types);
    const tn_view **values = tni_arena_allocate(&arena, node->input_count, sizeof *values);
    subgraph_types subgraphs = {0};
    tn_status status = types == NULL || values == NULL
                           ? TN_OUT_OF_MEMORY
                           : describe_subgraphs(&arena, node, &subgraphs);
    if (status == TN_OK) {
        tn_tensor_type *outputs = types + node->input_count;
        gather_inputs(work, node, types, values);
        memcpy(outputs, graph->types[number], node->output_count * sizeof *types);
        show_dense(node, types, outputs);
        tn_infer_call call = {
            .struct_size = sizeof call,
            .input_count = node->input_count,
            .output_count = node->output_count,
            .subgraph_count = node->subgraph_count,
            .host = &node->entry->plugin->host,
            .attributes = node->parsed,
            .inputs = types,
            .outputs = outputs,
            .input_values = values,
            .subgraph_inputs = subgraphs.inputs,
            .subgraph_outputs = (const tn_tensor_type *const *)subgraphs.outputs,
            .subgraph_input_counts = subgraphs.input_counts,
            .subgraph_output_counts = subgraphs.output_counts,
            .op = node->op,
        };
        tni_error_clear();
        status = ask_operator(&call, &subgraphs);
        take_dense(node, types, outputs);
    }
    for (uint32_t i = 0; status == TN_OK && i < node->input_count; i++) {
        if (node->inputs[i].node != TN_NO_NODE) {
            status = merge_back(work, number, node->inputs[i], &types[i], "input", i);
        }
    }
    for (uint32_t i = 0; status == TN_OK && i < node->output_count; i++) {
        status = merge_back(work, number, (tn_value){number, i}, &types[node->input_count + i],
                            "output", i);
    }
    bool learned = false;
    if (status == TN_OK && node->subgraph_count > 0) {
        status = infer_subgraphs(&arena, node, &subgraphs, &learned);
    }
    if (learned) {
        mark(work, number);
    }
    if (status == TN_OK) {
        status = compute_values(work, number);
    }
    tni_arena_finish(&arena);
    return tni_in(status, "node '%s' (%s)", node->name, node->entry->entry->name);
}

static tn_status sweep(inference_work *work, bool forwards) {
    work->any_pending = false;
    for (uint32_t i = 0; i < work->count; i++) {
        const uint32_t number = work->order[forwards ? i : work->count - 1 - i];
        /* What a node learns of its subgraphs is passed on at once: a chain of such nodes would
         * otherwise take a sweep for each. */
        for (int j = 0; work->pending[number] && j < MAX_ROUNDS; j++) {
            work->pending[number] = 0;
            TNI_TRY(infer_node(work, number));
        }
    }
    return TN_OK;
}

static tn_status sweep_until_settled(inference_work *work) {
    for (uint32_t i = 0; work->any_pending && i < MAX_SWEEPS; i++) {
        TNI_TRY(sweep(work, i % 2 == 0));
    }
    return work->any_pending
               ? tni_fail(TN_INTERNAL, "inference does not settle after %d sweeps", MAX_SWEEPS)
               : TN_OK;
}

/* A storage that nobody has said anything of is dense, and operators that know of storages may
 * learn from that. */
static void settle_storage(inference_work *work, uint32_t number) {
    tn_graph *graph = work->graph;
    for (uint32_t i = 0; i < graph->nodes[number]->output_count; i++) {
        if (graph->types[number][i].storage != TN_STORAGE_UNKNOWN) {
            continue;
        }
        graph->types[number][i].storage = TN_STORAGE_DENSE;
        for (uint32_t j = work->first_user[number]; j < work->first_user[number + 1]; j++) {
            if (knows_storages(graph->nodes[work->users[j]])) {
                mark(work, work->users[j]);
            }
        }
    }
}

/* The variables first, all at once; then, in running order, what operators leave open. */
static tn_status settle_storages(inference_work *work) {
    for (uint32_t i = 0; i < work->graph->node_count; i++) {
        if (tni_node_is_variable(work->graph->nodes[i])) {
            settle_storage(work, i);
        }
    }
    TNI_TRY(sweep_until_settled(work));
    for (uint32_t i = 0; i < work->count; i++) {
        settle_storage(work, work->order[i]);
        TNI_TRY(sweep_until_settled(work));
    }
    return TN_OK;
}

/* What subgraphs knew from an earlier inference may be wrong for what is known now. */
static void forget_subgraph_types(const tn_graph *graph) {
    for (uint32_t i = 0; i < graph->node_count; i++) {
        for (uint32_t j = 0; j < graph->nodes[i]->subgraph_count; j++) {
            tn_graph *subgraph = graph->nodes[i]->subgraphs[j];
            tni_graph_drop_types(subgraph);
            forget_subgraph_types(subgraph);
        }
    }
}

/* What is known of the outputs from outside; `outputs` may be NULL. */
static tn_status take_outputs(const tn_graph *graph, const tn_tensor_type *outputs) {
    bool changed = false;
    for (uint32_t i = 0; outputs != NULL && i < graph->output_count; i++) {
        const tn_value value = graph->outputs[i];
        if (!tni_type_merge(&graph->types[value.node][value.output], &outputs[i], &changed)) {
            return tni_fail(TN_INVALID_ARGUMENT, "output %u contradicts what reads it", i);
        }
    }
    return TN_OK;
}

static tn_status run_inference(tn_graph *graph, const tn_tensor_type *known,
                               const tn_tensor_type *outputs) {
    inference_work work = {.graph = graph};
    forget_subgraph_types(graph);
    tn_status status = tni_graph_order(graph, &work.order, &work.count);
    if (status == TN_OK) {
        work.pending = tni_arena_allocate(&work.scratch, graph->node_count, 1);
        status = work.pending == NULL ? TN_OUT_OF_MEMORY : list_users(&work);
    }
    if (status == TN_OK) {
        status = tni_values_find_wanted(graph, work.order, work.count, &work.scratch, &work.wanted);
    }
    uint32_t variable = 0;
    for (uint32_t i = 0; status == TN_OK && i < graph->node_count; i++) {
        if (tni_node_is_variable(graph->nodes[i])) {
            graph->types[i][0] = known[variable++];
        } else {
            work.pending[i] = graph->nodes[i]->op != NULL;
        }
    }
    if (status == TN_OK) {
        status = take_outputs(graph, outputs);
    }
    work.any_pending = true;
    if (status == TN_OK) {
        status = sweep_until_settled(&work);
    }
    if (status == TN_OK) {
        status = settle_storages(&work);
    }
    tni_arena_finish(&work.scratch);
    return status;
}

static tn_status infer_from(tn_graph *graph, const tn_tensor_type *variables,
                            const tn_tensor_type *outputs, tn_tensor *const *elements) {
    tn_status status = tn_graph_verify(graph);
    if (status == TN_OK) {
        status = allocate_types(graph, elements);
    }
    if (status == TN_OK) {
        status = run_inference(graph, variables, outputs);
    }
    if (status != TN_OK) {
        tni_graph_drop_types(graph);
        return status;
    }
    return status;
}

tn_status tni_graph_infer_variables(tn_graph *graph, const tn_tensor_type *known,
                                    tn_tensor *const *elements) {
    return infer_from(graph, known, NULL, elements);
}

static tn_status merge_known(const char *name, const char *what, tn_tensor_type *known,
                             const tn_tensor_type *fact) {
    bool changed = false;
    if (tni_type_merge(known, fact, &changed)) {
        return TN_OK;
    }
    char have[600], given[600];
    return tni_fail(TN_INVALID_ARGUMENT, "'%s' is given as %s, but %s %s", name,
                    tni_type_text(fact, given, sizeof given), what,
                    tni_type_text(known, have, sizeof have));
}

static tn_status known_type(const tni_node *node, const tn_named_type *inputs, uint32_t input_count,
                            tn_tensor_type *out_type) {
    *out_type = node->declared;
    if (node->parameter != NULL) {
        const tn_tensor_type type = tni_tensor_type(node->parameter);
        TNI_TRY(merge_known(node->name, "the graph declares", out_type, &type));
    }
    for (uint32_t i = 0; i < input_count; i++) {
        if (strcmp(inputs[i].name, node->name) == 0) {
            TNI_TRY(merge_known(node->name, "it is", out_type, &inputs[i].type));
        }
    }
    return TN_OK;
}

tn_status tn_graph_infer(tn_graph *graph, const tn_named_type *inputs, uint32_t input_count) {
    for (uint32_t i = 0; i < input_count; i++) {
        const uint32_t node = tn_graph_find_node(graph, inputs[i].name);
        if (node == TN_NO_NODE || graph->nodes[node]->op != NULL) {
            return tni_fail(TN_NOT_FOUND, "infer: the graph has no variable '%s'", inputs[i].name);
        }
    }
    tn_tensor_type *known = tni_allocate(tni_graph_variable_count(graph), sizeof *known);
    tn_status status = known == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    uint32_t variable = 0;
    for (uint32_t i = 0; status == TN_OK && i < graph->node_count; i++) {
        if (tni_node_is_variable(graph->nodes[i])) {
            status = known_type(graph->nodes[i], inputs, input_count, &known[variable++]);
        }
    }
    if (status == TN_OK) {
        status = tni_graph_infer_variables(graph, known, NULL);
    }
    tni_free(known);
    return tni_in(status, "infer");
}

tn_status tn_graph_type(const tn_graph *graph, tn_value value, tn_tensor_type *out_type) {
    TNI_TRY(tni_graph_check_value(graph, value));
    if (graph->types == NULL) {
        return tni_fail(TN_FAILED_PRECONDITION,
                        "types are not known: call tn_graph_infer after the last change");
    }
    /* Nodes that a pass has added since. */
    *out_type = value.node < graph->typed_count ? graph->types[value.node][value.output]
                                                : tni_type_unknown();
    return TN_OK;
}
