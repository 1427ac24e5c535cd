#include "random_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "random_node.h"

enum { NODES = 24, TRIES = 40 };

tn_tensor *random_tensor(tn_runtime *runtime, uint32_t seed, int32_t rank, const int64_t *extents) {
    random_numbers numbers = random_begin(seed);
    const tn_shape shape = tn_shape_of(rank, extents);
    return draw_tensor(&numbers, runtime, TN_F32, &shape);
}

uint32_t random_rounds(uint32_t otherwise) {
    const char *text = getenv("TENON_TEST_ROUNDS");
    return text != NULL ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

uint32_t count_nodes(const tn_graph *graph, int only_needed) {
    uint32_t count = 0, total = tn_graph_node_count(graph);
    const uint32_t *order = only_needed ? tn_graph_order(graph, &total) : NULL;
    for (uint32_t i = 0; i < total; i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        count +=
            tn_graph_node(graph, order != NULL ? order[i] : i, &info) == TN_OK && info.op != NULL;
    }
    return count;
}

static const known_value *last(const growing_graph *g) {
    return &g->values[g->count - 1];
}

static void add_any_operator(growing_graph *g) {
    for (int tries = 0; tries < TRIES; tries++) {
        const char *name = tn_op_name(g->runtime, draw(&g->numbers, tn_op_count(g->runtime)));
        if (why_not(g->runtime, name) == NULL && try_operator(g, name)) {
            return;
        }
    }
}

static void add_copy(growing_graph *g) {
    static const char *const names[] = {"_copy", "identity", "Dropout", "BlockGrad"};
    try_node(g, names[draw(&g->numbers, 4)], NULL, 0, pick(g), 1);
}

static void add_transposes(growing_graph *g) {
    static const tn_option axes = {"axes", "(1,2,0)"};
    known_value input = *pick(g);
    for (uint32_t i = 0; i <= draw(&g->numbers, 4); i++) {
        const int whole = shape_of(&input).rank != 3 || draw(&g->numbers, 2);
        if (try_node(g, "transpose", &axes, whole ? 0 : 1, &input, 1)) {
            input = *last(g);
        }
    }
}

static void add_reshapes(growing_graph *g) {
    static const tn_option shapes[] = {
        {"shape", "(-1)"}, {"shape", "(0,-1)"}, {"shape", "(2,-1)"}, {"axis", "0"}};
    static const char *const names[] = {"Reshape", "Reshape", "Reshape", "expand_dims", "Flatten"};
    known_value input = *pick(g);
    for (uint32_t i = 0; i <= draw(&g->numbers, 3); i++) {
        const uint32_t kind = draw(&g->numbers, 5);
        if (try_node(g, names[kind], &shapes[kind % 4], kind < 4, &input, 1)) {
            input = *last(g);
        }
    }
}

/* A sum with what two chains of parameters make. */
static void add_constants(growing_graph *g) {
    const known_value input = *pick(g);
    const tn_shape shape = shape_of(&input);
    const tn_dtype dtype = tn_tensor_view(input.tensor)->dtype;
    const known_value factors[] = {add_parameter(g, dtype, &shape),
                                   add_parameter(g, dtype, &shape)};
    if (try_node(g, "elemwise_mul", NULL, 0, factors, 2)) {
        const known_value inputs[] = {input, *last(g)};
        try_node(g, "elemwise_add", NULL, 0, inputs, 2);
    }
}

static void add_twins(growing_graph *g) {
    const known_value inputs[] = {*pick(g), *pick(g)};
    if (try_node(g, "broadcast_add", NULL, 0, inputs, 2) &&
        try_node(g, "broadcast_add", NULL, 0, inputs, 2)) {
        const known_value both[] = {g->values[g->count - 2], *last(g)};
        try_node(g, "broadcast_mul", NULL, 0, both, 2);
    }
}

/* Nodes of which each reads the one before, and at times some other value. */
static void add_chain(growing_graph *g) {
    static const char *const unary[] = {"relu",     "sigmoid", "tanh",     "abs",  "square",
                                        "negative", "exp",     "softsign", "floor"};
    static const char *const scalar[] = {"_plus_scalar", "_rminus_scalar", "_mul_scalar",
                                         "_maximum_scalar", "_div_scalar"};
    static const char *const binary[] = {"broadcast_add", "broadcast_mul", "broadcast_minimum",
                                         "broadcast_sub"};
    static const tn_option number = {"scalar", "0.75"};
    known_value here = *pick(g);
    for (uint32_t i = 0, length = 2 + draw(&g->numbers, 5); i < length; i++) {
        const uint32_t kind = draw(&g->numbers, 4), side = draw(&g->numbers, 2);
        known_value inputs[2];
        inputs[side] = here;
        inputs[1 - side] = *pick(g);
        if (kind < 2   ? try_node(g, unary[draw(&g->numbers, 9)], NULL, 0, &here, 1)
            : kind < 3 ? try_node(g, scalar[draw(&g->numbers, 5)], &number, 1, &here, 1)
                       : try_node(g, binary[draw(&g->numbers, 4)], NULL, 0, inputs, 2)) {
            here = *last(g);
        }
    }
}

static void add_norm(growing_graph *g, known_value input, int64_t channels) {
    static const tn_option keeps[] = {{"fix_gamma", "False"}, {"eps", "0.01"}};
    const tn_shape shape = tn_shape_of(1, &channels);
    known_value inputs[5] = {input};
    for (int i = 1; i < 5; i++) {
        inputs[i] = add_parameter(g, TN_F32, &shape);
    }
    const tn_view *variance = tn_tensor_view(inputs[4].tensor);
    for (int64_t i = 0; i < channels; i++) {
        const double element = test_element(variance, i);
        test_set_element(variance, i, element * element + 0.1);
    }
    try_node(g, "BatchNorm", keeps, draw(&g->numbers, 3), inputs, 5);
}

/* FullyConnected and BatchNorm over any value, with or without a bias. */
static void add_dense(growing_graph *g) {
    const uint32_t has_bias = draw(&g->numbers, 2);
    const tn_option options[] = {{"num_hidden", "5"}, {"no_bias", has_bias ? "False" : "True"}};
    if (try_node(g, "FullyConnected", options, 2, pick(g), 1)) {
        add_norm(g, *last(g), 5);
    }
}

/* A sum with the value that is there and an activation, as the ends of residual blocks have them.
 */
static void add_residual(growing_graph *g, known_value input) {
    const tn_shape shape = shape_of(&input);
    const known_value inputs[] = {input,
                                  add_parameter(g, tn_tensor_view(input.tensor)->dtype, &shape)};
    if (draw(&g->numbers, 2) == 0 || try_node(g, "elemwise_add", NULL, 0, inputs, 2)) {
        const known_value sum = *last(g);
        try_node(g, draw(&g->numbers, 2) ? "relu" : "sigmoid", NULL, 0, &sum, 1);
    }
}

/* Convolution over a value of three axes, and BatchNorm or a sum. */
static void add_convolution(growing_graph *g) {
    const uint32_t has_bias = draw(&g->numbers, 2);
    const tn_option options[] = {{"kernel", "(2)"},
                                 {"num_filter", "4"},
                                 {"pad", "(1)"},
                                 {"no_bias", has_bias ? "False" : "True"}};
    const known_value input = *pick(g);
    if (shape_of(&input).rank == 3 && try_node(g, "Convolution", options, 4, &input, 1)) {
        if (draw(&g->numbers, 2)) {
            add_norm(g, *last(g), 4);
        } else {
            add_residual(g, *last(g));
        }
    }
}

/* Outputs are different nodes: their names are what they are known by. */
static int choose_outputs(growing_graph *g, random_graph *out) {
    tn_value outputs[RANDOM_OUTPUTS];
    for (uint32_t i = 0; i < RANDOM_OUTPUTS; i++) {
        const known_value *known =
            i == 0 ? last(g) : &g->values[1 + draw(&g->numbers, g->count - 1)];
        outputs[i] = known->value;
        out->outputs[i] = known->tensor;
        tn_tensor_retain(known->tensor);
    }
    return tn_graph_set_outputs(g->graph, outputs, RANDOM_OUTPUTS) == TN_OK;
}

static int grow(growing_graph *g, random_graph *out) {
    static void (*const adders[])(growing_graph * g) = {
        add_any_operator, add_any_operator, add_any_operator, add_any_operator,
        add_copy,         add_transposes,   add_reshapes,     add_constants,
        add_twins,        add_chain,        add_dense,        add_convolution};
    for (uint32_t tries = 0; g->count < NODES && tries < 10 * NODES; tries++) {
        adders[draw(&g->numbers, sizeof adders / sizeof adders[0])](g);
    }
    return g->count > RANDOM_OUTPUTS && choose_outputs(g, out) &&
           tn_graph_compact(g->graph) == TN_OK && tn_graph_infer(g->graph, NULL, 0) == TN_OK;
}

static tn_tensor *copy_nudged(tn_runtime *runtime, const tn_tensor *tensor) {
    const tn_view *view = tn_tensor_view(tensor);
    tn_tensor *copy;
    if (tn_tensor_create(runtime, view->dtype, view->rank, view->shape, &copy) != TN_OK) {
        abort();
    }
    for (int64_t i = 0; i < tn_element_count(view); i++) {
        const double off = i % 2 == 0 ? 1e-5 : -1e-5;
        test_set_element(tn_tensor_view(copy), i, test_element(view, i) * (1 + off));
    }
    return copy;
}

int random_graph_create(tn_runtime *runtime, uint32_t seed, int kind, random_graph *out) {
    static const int64_t extents[] = {2, 3, 4};
    const tn_shape shape = tn_shape_of(3, extents);
    const tn_tensor_type type = {TN_F32, 0, shape};
    growing_graph g = {
        .runtime = runtime, .numbers = random_begin(seed), .is_steady = kind == GRAPH_STEADY};
    uint32_t x;
    *out = (random_graph){.input = draw_tensor(&g.numbers, runtime, TN_F32, &shape)};
    int done = out->input != NULL && tn_graph_create(runtime, &g.graph) == TN_OK &&
               tn_graph_add_variable(g.graph, "x", &type, &x) == TN_OK;
    if (done) {
        tn_tensor_retain(out->input);
        add_known(&g, (tn_value){x, 0}, out->input,
                  g.is_steady ? copy_nudged(runtime, out->input) : NULL);
        done = grow(&g, out);
    }
    for (uint32_t i = 0; i < g.count; i++) {
        tn_tensor_release(g.values[i].tensor);
        tn_tensor_release(g.values[i].nudged);
    }
    out->graph = g.graph;
    if (!done) {
        fprintf(stderr, "seed %u: %s\n", seed, tn_error_message());
        random_graph_destroy(out);
    }
    return done;
}

void random_graph_destroy(random_graph *made) {
    for (uint32_t i = 0; i < RANDOM_OUTPUTS; i++) {
        tn_tensor_release(made->outputs[i]);
    }
    tn_tensor_release(made->input);
    tn_graph_destroy(made->graph);
    *made = (random_graph){0};
}
