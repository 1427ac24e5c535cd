/* A runtime with the build's plugins and the probe operators, and short ways to make graphs. */
#ifndef TENON_TESTS_GRAPH_FIXTURE_H
#define TENON_TESTS_GRAPH_FIXTURE_H

#include <criterion/criterion.h>
#include <string.h>

#include <tenon/plugin/helpers.h>
#include <tenon/tenon.h>

static tn_runtime *runtime;
static tn_graph *graph;

static inline void fixture_set_up(void) {
    const char *probe[] = {PROBE_PLUGIN};
    cr_assert_eq(tn_runtime_create(NULL, &runtime), TN_OK);
    cr_assert_eq(tn_plugin_load_all(runtime, probe, 1, 0), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
}

static inline void fixture_tear_down(void) {
    tn_graph_destroy(graph);
    tn_runtime_destroy(runtime);
}

static inline tn_value variable(const char *name) {
    uint32_t node;
    cr_assert_eq(tn_graph_add_variable(graph, name, NULL, &node), TN_OK, "%s", tn_error_message());
    return (tn_value){node, 0};
}

/* A node whose attributes are texts "name", "value", …, NULL. */
static inline tn_value node_of(const char *op, const char *name, const tn_value *inputs,
                               uint32_t input_count, const char *const *attributes) {
    tn_option options[16] = {{0}};
    uint32_t count = 0, node;
    for (; attributes != NULL && attributes[2 * count] != NULL; count++) {
        options[count] = (tn_option){attributes[2 * count], attributes[2 * count + 1]};
    }
    cr_assert_eq(tn_graph_add_node(graph, op, name, options, count, inputs, input_count, &node),
                 TN_OK, "%s", tn_error_message());
    return (tn_value){node, 0};
}

static inline tn_value unary(const char *op, const char *name, tn_value input) {
    return node_of(op, name, &input, 1, NULL);
}

static inline tn_value binary(const char *op, const char *name, tn_value left, tn_value right) {
    const tn_value inputs[] = {left, right};
    return node_of(op, name, inputs, 2, NULL);
}

static inline void output(tn_value value) {
    cr_assert_eq(tn_graph_set_outputs(graph, &value, 1), TN_OK);
}

static inline tn_named_type float_type(const char *name, int32_t rank, const int64_t *extents) {
    return (tn_named_type){name, {TN_F32, 0, tn_shape_of(rank, extents)}};
}

static inline tn_tensor *floats_of(int64_t count, const float *values) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 1, &count, &tensor), TN_OK);
    for (int64_t i = 0; i < count; i++) {
        ((float *)tn_tensor_data(tensor))[i] = values[i];
    }
    return tensor;
}

#define expect_message(text)                                                                       \
    cr_expect_not_null(strstr(tn_error_message(), text), "the message is: %s", tn_error_message())

#endif
