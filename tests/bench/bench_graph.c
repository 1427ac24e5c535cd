/*
 * Changing large graphs, in processor time: each pass of -O1 on a graph in which it finds work all
 * over, and many changes of one node that all others use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

enum { REPEATS = 9, BLOCK = 7 };

static tn_value add(tn_graph *graph, const char *op, const tn_option *attributes, uint32_t count,
                    const tn_value *inputs, uint32_t input_count) {
    uint32_t node;
    bench_check(tn_graph_add_node(graph, op, NULL, attributes, count, inputs, input_count, &node),
                op);
    return (tn_value){node, 0};
}

/* Blocks of seven nodes in a chain: an identity, two transposes that undo each other, a constant
 * expression, one that the next block has too, and uses of a parameter that all blocks share. */
static tn_graph *make_graph(tn_runtime *runtime, uint32_t node_count) {
    const int64_t extents[] = {4, 4};
    const tn_tensor_type type = {TN_F32, TN_STORAGE_DENSE, {.rank = 2, .extents = {4, 4}}};
    const tn_option axes = {"axes", "(1,0)"};
    tn_graph *graph;
    tn_tensor *tensor;
    uint32_t x, w;
    bench_check(tn_graph_create(runtime, &graph), "graph");
    bench_check(tn_tensor_create(runtime, TN_F32, 2, extents, &tensor), "tensor");
    bench_check(tn_graph_add_variable(graph, "x", &type, &x), "x");
    bench_check(tn_graph_add_parameter(graph, "w", tensor, &w), "w");
    tn_tensor_release(tensor);
    tn_value value = {x, 0};
    const tn_value shared = {w, 0};
    for (uint32_t i = 0; i < node_count / BLOCK; i++) {
        value = add(graph, "identity", NULL, 0, &value, 1);
        value = add(graph, "transpose", &axes, 1, &value, 1);
        value = add(graph, "transpose", &axes, 1, &value, 1);
        const tn_value constant = add(graph, "tanh", NULL, 0, &shared, 1);
        value = add(graph, "elemwise_add", NULL, 0, (tn_value[]){value, constant}, 2);
        const tn_value same = add(graph, "relu", NULL, 0, (tn_value[]){{x, 0}}, 1);
        value = add(graph, "elemwise_add", NULL, 0, (tn_value[]){value, same}, 2);
    }
    bench_check(tn_graph_set_outputs(graph, &value, 1), "outputs");
    return graph;
}

static int compare(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Of this thread alone, whatever else the machine does. */
static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Times `change` on a new copy each time. */
static void measure(const tn_graph *graph, const char *what,
                    void (*change)(tn_graph *graph, const void *context), const void *context) {
    double figures[REPEATS];
    char line[128];
    for (int i = 0; i < REPEATS; i++) {
        tn_graph *copy;
        bench_check(tn_graph_copy(graph, &copy), "copy");
        const double start = processor_seconds();
        change(copy, context);
        figures[i] = (processor_seconds() - start) * 1e9;
        tn_graph_destroy(copy);
    }
    qsort(figures, REPEATS, sizeof *figures, compare);
    snprintf(line, sizeof line, "%u nodes, %s", tn_graph_node_count(graph), what);
    bench_print(line, (bench_figure){figures[0], figures[REPEATS / 2]}, 1e6, "ms", "");
}

static void run_pass(tn_graph *graph, const void *name) {
    bench_check(tn_graph_run_pass(graph, name, NULL, 0, NULL, 0), name);
}

static void copy_once(tn_graph *graph, const void *context) {
    (void)context;
    tn_graph *copy;
    bench_check(tn_graph_copy(graph, &copy), "copy");
    tn_graph_destroy(copy);
}

static void infer(tn_graph *graph, const void *context) {
    (void)context;
    bench_check(tn_graph_infer(graph, NULL, 0), "infer");
}

/* Takes every reader of w to x and back, one input at a time, and asks who uses w after each. */
static void change_shared(tn_graph *graph, const void *context) {
    (void)context;
    const tn_value x = {tn_graph_find_node(graph, "x"), 0};
    const tn_value w = {tn_graph_find_node(graph, "w"), 0};
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        const tn_use *uses;
        uint32_t count;
        bench_check(tn_graph_node(graph, i, &info), "node");
        if (info.input_count == 1 && info.inputs[0].node == w.node) {
            bench_check(tn_graph_set_input(graph, i, 0, x), "set input");
            bench_check(tn_graph_uses(graph, w.node, &uses, &count), "uses");
            bench_check(tn_graph_set_input(graph, i, 0, w), "set input");
        }
    }
    bench_check(tn_graph_replace_uses(graph, w, x), "replace uses");
}

static void measure_all(tn_runtime *runtime, uint32_t node_count) {
    static const char *const passes[] = {"remove-identity",   "simplify-transpose",
                                         "simplify-reshape",  "fold-constants",
                                         "merge-equal-nodes", "remove-dead-nodes"};
    tn_graph *graph = make_graph(runtime, node_count);
    measure(graph, "a copy", copy_once, NULL);
    measure(graph, "inference", infer, NULL);
    measure(graph, "each use of one parameter changed twice", change_shared, NULL);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        measure(graph, passes[i], run_pass, passes[i]);
    }
    tn_graph_destroy(graph);
}

/* A chain in which every other node is taken: each is a subgraph of its own. */
static tn_graph *make_chain(tn_runtime *runtime, uint32_t partition_count) {
    const tn_tensor_type type = {TN_F32, TN_STORAGE_DENSE, {.rank = 2, .extents = {4, 4}}};
    tn_graph *graph;
    uint32_t x;
    bench_check(tn_graph_create(runtime, &graph), "graph");
    bench_check(tn_graph_add_variable(graph, "x", &type, &x), "x");
    tn_value value = {x, 0};
    for (uint32_t i = 0; i < partition_count; i++) {
        value = add(graph, "relu", NULL, 0, &value, 1);
        value = add(graph, "tanh", NULL, 0, &value, 1);
    }
    bench_check(tn_graph_set_outputs(graph, &value, 1), "outputs");
    return graph;
}

static void partition(tn_graph *graph, const void *text) {
    bench_check(tn_graph_partition_text(graph, text, NULL, 0), text);
}

static void measure_partitions(tn_runtime *runtime, uint32_t count) {
    char what[64];
    tn_graph *graph = make_chain(runtime, count);
    snprintf(what, sizeof what, "%u partitions of one node", count);
    measure(graph, what, partition, "oplist:ops=relu");
    tn_graph_destroy(graph);
}

int main(void) {
    tn_runtime *runtime;
    bench_check(tn_runtime_create(NULL, &runtime), "runtime");
    bench_check(tn_plugin_load_all(runtime, NULL, 0, 0), "plugins");
    measure_partitions(runtime, 1000);
    measure_partitions(runtime, 10000);
    measure_all(runtime, 14000);
    measure_all(runtime, 100000);
    tn_runtime_destroy(runtime);
    return 0;
}
