#include "random_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

enum { MAX_VALUES = 64, NODES = 24, MAX_ELEMENTS = 4096, OUTPUTS = 4 };

typedef struct generator {
    tn_runtime *runtime;
    tn_graph *graph;
    uint64_t state;
    tn_value values[MAX_VALUES]; /* float32, with known shapes */
    uint32_t count;
} generator;

/* xorshift: the same numbers everywhere. */
static uint32_t draw(generator *g, uint32_t below) {
    g->state ^= g->state << 13;
    g->state ^= g->state >> 7;
    g->state ^= g->state << 17;
    return (uint32_t)(g->state >> 16) % below;
}

tn_tensor *random_tensor(tn_runtime *runtime, uint32_t seed, int32_t rank, const int64_t *extents) {
    generator g = {.state = (uint64_t)seed * 2654435761u + 88172645463325252u};
    tn_tensor *tensor;
    if (tn_tensor_create(runtime, TN_F32, rank, extents, &tensor) != TN_OK) {
        return NULL;
    }
    float *elements = tn_tensor_data(tensor);
    for (int64_t i = 0; i < tn_element_count(tn_tensor_view(tensor)); i++) {
        elements[i] = (float)((int32_t)draw(&g, 20000) - 10000) / 10007.0f;
    }
    return tensor;
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

/* Whether the value may be worked with: float32, known, of a size that stays small. */
static int is_usable(const generator *g, tn_value value) {
    tn_tensor_type type;
    int64_t count = 1;
    if (tn_graph_type(g->graph, value, &type) != TN_OK || type.dtype != TN_F32 ||
        !tn_shape_is_known(&type.shape) || type.shape.rank < 1 || type.shape.rank > 6) {
        return 0;
    }
    for (int32_t axis = 0; axis < type.shape.rank; axis++) {
        count *= type.shape.extents[axis];
        if (count < 1 || count > MAX_ELEMENTS) {
            return 0;
        }
    }
    return 1;
}

/* Adds a node if the graph infers with it; whether it did. */
static int try_node(generator *g, const char *op, const tn_option *options, uint32_t option_count,
                    const tn_value *inputs, uint32_t input_count) {
    uint32_t node;
    if (g->count == MAX_VALUES || tn_graph_add_node(g->graph, op, NULL, options, option_count,
                                                    inputs, input_count, &node) != TN_OK) {
        return 0;
    }
    const tn_value value = {node, 0};
    if (tn_graph_set_outputs(g->graph, &value, 1) == TN_OK &&
        tn_graph_infer(g->graph, NULL, 0) == TN_OK && is_usable(g, value)) {
        g->values[g->count++] = value;
        return 1;
    }
    tn_graph_set_outputs(g->graph, g->values, 1);
    tn_graph_remove_node(g->graph, node);
    return 0;
}

static tn_value pick(generator *g) {
    return g->values[draw(g, g->count)];
}

static tn_shape shape_of(const generator *g, tn_value value) {
    tn_tensor_type type;
    tn_graph_set_outputs(g->graph, &value, 1);
    tn_graph_infer(g->graph, NULL, 0);
    return tn_graph_type(g->graph, value, &type) == TN_OK ? type.shape : tn_shape_unknown();
}

static int can_stand_alone(const tn_op *op) {
    if ((op->flags & (TN_OP_STATEFUL | TN_OP_DATA_DEPENDENT)) || op->subgraph_count > 0 ||
        op->mutated_input_count > 0 || op->training_input_count > 0 || op->input_name_count < 1 ||
        op->input_name_count > 3) {
        return 0;
    }
    for (uint32_t i = 0; i < op->attribute_count; i++) {
        const tn_attribute *row =
            (const tn_attribute *)(const void *)((const char *)op->attributes +
                                                 (size_t)i * op->attribute_stride);
        if (row->default_value == NULL) {
            return 0;
        }
    }
    return 1;
}

static void add_any_operator(generator *g) {
    for (int tries = 0; tries < 40; tries++) {
        const char *name = tn_op_name(g->runtime, draw(g, tn_op_count(g->runtime)));
        const tn_op *op = tn_op_find(g->runtime, name, NULL);
        const tn_value first = pick(g);
        const tn_value inputs[] = {first, draw(g, 2) ? first : pick(g), first};
        if (can_stand_alone(op) && tn_op_kernel_count(g->runtime, name) > 0 &&
            try_node(g, name, NULL, 0, inputs, op->input_name_count)) {
            return;
        }
    }
}

static void add_copy(generator *g) {
    static const char *const names[] = {"_copy", "identity", "Dropout", "BlockGrad"};
    const tn_value input = pick(g);
    try_node(g, names[draw(g, 4)], NULL, 0, &input, 1);
}

static void add_transposes(generator *g) {
    static const tn_option axes = {"axes", "(1,2,0)"};
    tn_value input = pick(g);
    for (uint32_t i = 0; i <= draw(g, 4); i++) {
        const int whole = shape_of(g, input).rank != 3 || draw(g, 2);
        if (try_node(g, "transpose", &axes, whole ? 0 : 1, &input, 1)) {
            input = g->values[g->count - 1];
        }
    }
}

static void add_reshapes(generator *g) {
    static const tn_option shapes[] = {
        {"shape", "(-1)"}, {"shape", "(0,-1)"}, {"shape", "(2,-1)"}, {"axis", "0"}};
    static const char *const names[] = {"Reshape", "Reshape", "Reshape", "expand_dims", "Flatten"};
    tn_value input = pick(g);
    for (uint32_t i = 0; i <= draw(g, 3); i++) {
        const uint32_t kind = draw(g, 5);
        if (try_node(g, names[kind], &shapes[kind % 4], kind < 4, &input, 1)) {
            input = g->values[g->count - 1];
        }
    }
}

static tn_value parameter(generator *g, int32_t rank, const int64_t *extents) {
    char name[32];
    tn_value value = {0, 0};
    tn_tensor *tensor = random_tensor(g->runtime, draw(g, 1u << 20), rank, extents);
    snprintf(name, sizeof name, "w%u", tn_graph_node_count(g->graph));
    tn_graph_add_parameter(g->graph, name, tensor, &value.node);
    tn_tensor_release(tensor);
    return value;
}

/* A sum of what two chains of parameters make. */
static void add_constants(generator *g) {
    const tn_value input = pick(g);
    const tn_shape shape = shape_of(g, input);
    const tn_value sum[] = {parameter(g, shape.rank, shape.extents),
                            parameter(g, shape.rank, shape.extents)};
    if (try_node(g, "elemwise_mul", NULL, 0, sum, 2)) {
        const tn_value inputs[] = {input, g->values[g->count - 1]};
        try_node(g, "elemwise_add", NULL, 0, inputs, 2);
    }
}

static void add_twins(generator *g) {
    const tn_value inputs[] = {pick(g), pick(g)};
    if (try_node(g, "broadcast_add", NULL, 0, inputs, 2)) {
        try_node(g, "broadcast_add", NULL, 0, inputs, 2);
        const tn_value both[] = {g->values[g->count - 2], g->values[g->count - 1]};
        try_node(g, "broadcast_mul", NULL, 0, both, 2);
    }
}

static void add_norm(generator *g, tn_value input, int64_t channels) {
    static const tn_option keeps[] = {{"fix_gamma", "False"}, {"eps", "0.01"}};
    tn_value inputs[5] = {input};
    for (int i = 1; i < 5; i++) {
        inputs[i] = parameter(g, 1, &channels);
    }
    tn_tensor *variance = tn_graph_parameter(g->graph, inputs[4].node);
    for (int64_t i = 0; i < channels; i++) {
        float *element = (float *)tn_tensor_data(variance) + i;
        *element = *element * *element + 0.1f;
    }
    try_node(g, "BatchNorm", keeps, draw(g, 3), inputs, 5);
}

/* FullyConnected and BatchNorm over any value, with or without a bias. */
static void add_dense(generator *g) {
    const tn_option options[] = {{"num_hidden", "5"}, {"no_bias", draw(g, 2) ? "True" : "False"}};
    const int64_t hidden = 5;
    tn_value inputs[3] = {pick(g)};
    const tn_shape shape = shape_of(g, inputs[0]);
    const int64_t extents[] = {hidden, tn_extent_product(shape.extents, 1, shape.rank)};
    inputs[1] = parameter(g, 2, extents);
    inputs[2] = parameter(g, 1, &hidden);
    if (try_node(g, "FullyConnected", options, 2, inputs, options[1].value[0] == 'T' ? 2 : 3)) {
        add_norm(g, g->values[g->count - 1], hidden);
    }
}

/* Convolution and BatchNorm over a value of three axes. */
static void add_convolution(generator *g) {
    static const tn_option options[] = {
        {"kernel", "(2)"}, {"num_filter", "4"}, {"pad", "(1)"}, {"no_bias", "True"}};
    tn_value inputs[3] = {pick(g)};
    const tn_shape shape = shape_of(g, inputs[0]);
    const int64_t filters = 4;
    const uint32_t has_bias = draw(g, 2);
    if (shape.rank != 3) {
        return;
    }
    const int64_t extents[] = {filters, shape.extents[1], 2};
    inputs[1] = parameter(g, 3, extents);
    inputs[2] = parameter(g, 1, &filters);
    if (try_node(g, "Convolution", options, has_bias ? 3 : 4, inputs, has_bias ? 3 : 2)) {
        add_norm(g, g->values[g->count - 1], filters);
    }
}

static void fill(generator *g) {
    static void (*const adders[])(generator * g) = {
        add_any_operator, add_any_operator, add_any_operator, add_copy,  add_transposes,
        add_reshapes,     add_constants,    add_twins,        add_dense, add_convolution};
    tn_value outputs[OUTPUTS];
    while (g->count < NODES) {
        adders[draw(g, sizeof adders / sizeof adders[0])](g);
    }
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        outputs[i] = g->values[i == 0 ? g->count - 1 : 1 + draw(g, g->count - 1)];
    }
    tn_graph_set_outputs(g->graph, outputs, OUTPUTS);
}

tn_graph *random_graph(tn_runtime *runtime, uint32_t seed) {
    static const int64_t extents[] = {2, 3, 4};
    const tn_tensor_type type = {TN_F32, 0, tn_shape_of(3, extents)};
    generator g = {.runtime = runtime, .state = (uint64_t)seed * 2654435761u + 362436069u};
    uint32_t x;
    if (tn_graph_create(runtime, &g.graph) == TN_OK &&
        tn_graph_add_variable(g.graph, "x", &type, &x) == TN_OK) {
        g.values[g.count++] = (tn_value){x, 0};
        fill(&g);
        if (tn_graph_compact(g.graph) == TN_OK && tn_graph_infer(g.graph, NULL, 0) == TN_OK) {
            return g.graph;
        }
    }
    fprintf(stderr, "seed %u: %s\n", seed, tn_error_message());
    tn_graph_destroy(g.graph);
    return NULL;
}
