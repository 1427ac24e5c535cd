/*
 * Who uses what a node makes: a list at each node, kept up to date by every change. An input knows
 * its place in the list, so that a change costs what it touches, however often the node is used.
 */
#include "base/error.h"
#include "graph/graph.h"

static bool mutates(const tn_graph *graph, tn_use use) {
    return use.node != TN_NO_NODE && use.input != TN_USE_CONTROL &&
           tni_node_mutates(graph->nodes[use.node], use.input);
}

/* Tells the user where its use stands. Controls do not remember: they are few, and rarely go. */
static void note_place(tn_graph *graph, tn_use use, uint32_t place) {
    if (use.node == TN_NO_NODE) {
        graph->output_places[use.input] = place;
    } else if (use.input != TN_USE_CONTROL) {
        graph->nodes[use.node]->places[use.input] = place;
    }
}

static tn_status reserve(tni_node *used, uint32_t more) {
    void *uses = used->uses;
    TNI_TRY(tni_grow(&uses, &used->use_capacity, used->use_count + more, sizeof *used->uses));
    used->uses = uses;
    return TN_OK;
}

/* There must be room. */
static void put(tn_graph *graph, uint32_t number, tn_use use) {
    tni_node *used = graph->nodes[number];
    used->uses[used->use_count] = use;
    note_place(graph, use, used->use_count++);
    used->mutating_use_count += mutates(graph, use);
}

static tn_status add(tn_graph *graph, uint32_t number, tn_use use) {
    TNI_TRY(reserve(graph->nodes[number], 1));
    put(graph, number, use);
    return TN_OK;
}

/* The last use takes the place. */
static void take(tn_graph *graph, uint32_t number, uint32_t place) {
    tni_node *used = graph->nodes[number];
    used->mutating_use_count -= mutates(graph, used->uses[place]);
    if (place != --used->use_count) {
        used->uses[place] = used->uses[used->use_count];
        note_place(graph, used->uses[place], place);
    }
}

static void take_control(tn_graph *graph, uint32_t number, uint32_t before) {
    const tni_node *used = graph->nodes[before];
    for (uint32_t place = used->use_count; place-- > 0;) {
        if (used->uses[place].node == number && used->uses[place].input == TN_USE_CONTROL) {
            take(graph, before, place);
            return;
        }
    }
}

/* Inputs from `count` - 1 down to the first, so that what was added last goes first. */
static void disconnect_inputs(tn_graph *graph, uint32_t number, uint32_t count) {
    const tni_node *node = graph->nodes[number];
    while (count-- > 0) {
        if (node->inputs[count].node != TN_NO_NODE) {
            take(graph, node->inputs[count].node, node->places[count]);
        }
    }
}

tn_status tni_graph_connect_node(tn_graph *graph, uint32_t number) {
    const tni_node *node = graph->nodes[number];
    for (uint32_t i = 0; i < node->input_count; i++) {
        const tn_value value = node->inputs[i];
        if (value.node != TN_NO_NODE &&
            add(graph, value.node, (tn_use){number, i, value.output}) != TN_OK) {
            disconnect_inputs(graph, number, i);
            return TN_OUT_OF_MEMORY;
        }
    }
    return TN_OK;
}

void tni_graph_disconnect_node(tn_graph *graph, uint32_t number) {
    const tni_node *node = graph->nodes[number];
    for (uint32_t i = node->control_count; i-- > 0;) {
        take_control(graph, number, node->controls[i]);
    }
    disconnect_inputs(graph, number, node->input_count);
}

void tni_graph_disconnect_inputs(tn_graph *graph, uint32_t number) {
    disconnect_inputs(graph, number, graph->nodes[number]->input_count);
}

void tni_graph_reconnect_inputs(tn_graph *graph, uint32_t number) {
    const tni_node *node = graph->nodes[number];
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i].node != TN_NO_NODE) {
            put(graph, node->inputs[i].node, (tn_use){number, i, node->inputs[i].output});
        }
    }
}

tn_status tni_graph_connect(tn_graph *graph, uint32_t number, uint32_t input, tn_value value) {
    const tni_node *node = graph->nodes[number];
    const tn_value before = node->inputs[input];
    if (value.node != TN_NO_NODE) {
        TNI_TRY(reserve(graph->nodes[value.node], 1));
    }
    if (before.node != TN_NO_NODE) {
        take(graph, before.node, node->places[input]);
    }
    if (value.node != TN_NO_NODE) {
        put(graph, value.node, (tn_use){number, input, value.output});
    }
    node->inputs[input] = value;
    return TN_OK;
}

tn_status tni_graph_connect_control(tn_graph *graph, uint32_t number, uint32_t before) {
    return add(graph, before, (tn_use){number, TN_USE_CONTROL, 0});
}

static void disconnect_outputs(tn_graph *graph, uint32_t count) {
    while (count-- > 0) {
        take(graph, graph->outputs[count].node, graph->output_places[count]);
    }
}

/* Adds the uses that the graph's outputs are; on failure none is added. */
static tn_status connect_outputs(tn_graph *graph) {
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const tn_value value = graph->outputs[i];
        if (add(graph, value.node, (tn_use){TN_NO_NODE, i, value.output}) != TN_OK) {
            disconnect_outputs(graph, i);
            return TN_OUT_OF_MEMORY;
        }
    }
    return TN_OK;
}

tn_status tni_graph_connect_outputs(tn_graph *graph, tn_value *outputs, uint32_t *places,
                                    uint32_t count) {
    tn_value *const old_outputs = graph->outputs;
    uint32_t *const old_places = graph->output_places;
    const uint32_t old_count = graph->output_count;
    disconnect_outputs(graph, old_count);
    graph->outputs = outputs;
    graph->output_places = places;
    graph->output_count = count;
    const tn_status status = connect_outputs(graph);
    if (status != TN_OK) {
        graph->outputs = old_outputs;
        graph->output_places = old_places;
        graph->output_count = old_count;
        (void)connect_outputs(graph); /* there is room: it was there before */
    }
    return status;
}

tn_status tn_graph_replace_uses(tn_graph *graph, tn_value from, tn_value to) {
    TNI_TRY(tni_in(tni_graph_check_value(graph, from), "replace uses"));
    TNI_TRY(tni_in(tni_graph_check_value(graph, to), "replace uses"));
    const tni_node *node = graph->nodes[from.node];
    TNI_TRY(reserve(graph->nodes[to.node], node->use_count));
    /* Backwards: the use that takes a free place was looked at before. */
    for (uint32_t place = node->use_count; place-- > 0;) {
        tn_use use = node->uses[place];
        if (use.output != from.output || use.input == TN_USE_CONTROL || use.node == to.node) {
            continue;
        }
        take(graph, from.node, place);
        use.output = to.output;
        put(graph, to.node, use);
        if (use.node == TN_NO_NODE) {
            graph->outputs[use.input] = to;
        } else {
            graph->nodes[use.node]->inputs[use.input] = to;
        }
    }
    tni_graph_changed(graph);
    return TN_OK;
}

tn_status tn_graph_uses(const tn_graph *graph, uint32_t number, const tn_use **out_uses,
                        uint32_t *out_count) {
    TNI_TRY(tni_graph_check_node(graph, number));
    *out_uses = graph->nodes[number]->uses;
    *out_count = graph->nodes[number]->use_count;
    return TN_OK;
}
