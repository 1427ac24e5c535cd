/*
 * Every allocation of a scenario is made to fail, one after the other. Each time the library must
 * answer with an error or do without, give everything back, and work the next time.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/tenon.h>

#include "failing_malloc.h"

static tn_runtime *runtime;
static tn_device *device;

static tn_status load(tn_runtime *target) {
    char path[4096];
    static const char *const plugins[] = {
        "TENON_TEST_BACKENDS", "cpu",       "TENON_TEST_PLUGINS", "ops-math",
        "TENON_TEST_PLUGINS",  "ops-shape", "TENON_TEST_PLUGINS", "passes",
        "TENON_TEST_PLUGINS",  "subgraph",  "TENON_TEST_PLUGINS", "partition-oplist"};
    for (int i = 0; i < 12; i += 2) {
        snprintf(path, sizeof path, "%s/%s.so", getenv(plugins[i]), plugins[i + 1]);
        const tn_status status = tn_plugin_load(target, path, 0, NULL);
        if (status != TN_OK) {
            return status;
        }
    }
    return TN_OK;
}

/* Something for passes to find: adds zeros that are computed, and copies the sum. */
static tn_status add_work(tn_graph *graph, uint32_t *sum) {
    const tn_option shape = {"shape", "(2)"};
    uint32_t zeros, negative, added;
    tn_status status = tn_graph_add_node(graph, "_zeros", NULL, &shape, 1, NULL, 0, &zeros);
    if (status == TN_OK) {
        const tn_value input = {zeros, 0};
        status = tn_graph_add_node(graph, "negative", NULL, NULL, 0, &input, 1, &negative);
    }
    if (status == TN_OK) {
        const tn_value inputs[] = {{*sum, 0}, {negative, 0}};
        status = tn_graph_add_node(graph, "broadcast_add", NULL, NULL, 0, inputs, 2, &added);
    }
    if (status == TN_OK) {
        const tn_value input = {added, 0};
        status = tn_graph_add_node(graph, "_copy", NULL, NULL, 0, &input, 1, sum);
    }
    return status;
}

static tn_status build_graph(tn_graph *graph) {
    uint32_t x, y, sum, shaped;
    const tn_option shape = {"shape", "(1,-1)"};
    tn_status status = tn_graph_add_variable(graph, "x", NULL, &x);
    if (status == TN_OK) {
        status = tn_graph_add_variable(graph, "y", NULL, &y);
    }
    if (status == TN_OK) {
        const tn_value inputs[] = {{x, 0}, {y, 0}};
        status = tn_graph_add_node(graph, "broadcast_add", NULL, NULL, 0, inputs, 2, &sum);
    }
    if (status == TN_OK) {
        status = add_work(graph, &sum);
    }
    if (status == TN_OK) {
        const tn_value input = {sum, 0};
        status = tn_graph_add_node(graph, "Reshape", "shaped", &shape, 1, &input, 1, &shaped);
    }
    if (status == TN_OK) {
        const tn_value output = {shaped, 0};
        status = tn_graph_set_outputs(graph, &output, 1);
    }
    return status == TN_OK ? tn_graph_annotate(graph, sum, "__note__", "kept") : status;
}

static tn_status run_session(tn_graph *graph, tn_tensor *const *inputs) {
    tn_session *session = NULL;
    tn_tensor *output = NULL;
    tn_status status = tn_session_create(graph, device, NULL, &session);
    if (status == TN_OK) {
        status = tn_session_run(session, inputs, &output);
    }
    if (status == TN_OK && ((float *)tn_tensor_data(output))[1] != 4) {
        status = TN_INTERNAL;
    }
    tn_tensor_release(output);
    tn_session_destroy(session);
    return status;
}

static tn_status make_input(tn_tensor **out_tensor) {
    const int64_t extents[] = {2};
    const tn_status status = tn_tensor_create(runtime, TN_F32, 1, extents, out_tensor);
    if (status == TN_OK) {
        ((float *)tn_tensor_data(*out_tensor))[0] = 1;
        ((float *)tn_tensor_data(*out_tensor))[1] = 2;
    }
    return status;
}

/* Reading JSON takes no part: jansson's own scanner asserts when it cannot grow its buffer. */
static tn_status write_json(const tn_graph *graph) {
    char *text;
    const tn_status status = tn_graph_to_json(graph, &text);
    if (status == TN_OK) {
        tn_text_free(text);
    }
    return status;
}

/* Every pass, and what it changed. */
static tn_status change(tn_graph *graph) {
    tn_pipeline *pipeline = NULL;
    tn_graph *before = NULL;
    char *text = NULL;
    tn_status status = tn_graph_copy(graph, &before);
    if (status == TN_OK) {
        status = tn_pipeline_create(runtime, &pipeline);
    }
    if (status == TN_OK) {
        status = tn_pipeline_add_set(pipeline, "2");
    }
    if (status == TN_OK) {
        status = tn_pipeline_run(pipeline, graph, NULL, 0);
    }
    if (status == TN_OK) {
        status = tn_graph_diff(before, graph, &text);
    }
    tn_text_free(text);
    tn_graph_destroy(before);
    tn_pipeline_destroy(pipeline);
    return status;
}

/* Build, write, change, partition, plan, run, call eagerly. */
static tn_status work(void) {
    tn_graph *graph = NULL;
    tn_tensor *inputs[2] = {NULL, NULL}, *output = NULL;
    tn_status status = tn_graph_create(runtime, &graph);
    if (status == TN_OK) {
        status = build_graph(graph);
    }
    if (status == TN_OK) {
        status = write_json(graph);
    }
    if (status == TN_OK) {
        status = change(graph);
    }
    if (status == TN_OK) {
        status = tn_graph_partition_text(graph, "oplist:ops=broadcast_add|Reshape", NULL, 0);
    }
    for (int i = 0; status == TN_OK && i < 2; i++) {
        status = make_input(&inputs[i]);
    }
    if (status == TN_OK) {
        status = run_session(graph, inputs);
    }
    if (status == TN_OK) {
        status = tn_invoke(runtime, "elemwise_mul", NULL, 0, inputs, 2, &output, 1);
    }
    tn_tensor_release(output);
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_graph_destroy(graph);
    return status;
}

static void expect_out_of_memory(tn_status status, long nth) {
    /* The loader's own words do not always say that memory was short. */
    cr_expect(status == TN_OUT_OF_MEMORY || status == TN_CORRUPT || status == TN_IO,
              "allocation %ld failed and the status is %s: %s", nth, tn_status_name(status),
              tn_error_message());
    cr_expect_neq(tn_error_message()[0], '\0', "allocation %ld failed without a message", nth);
}

/* A sparse parameter and a sparse value that only dense kernels take, and sparse outputs. */
static tn_status build_sparse_graph(tn_graph *graph, tn_tensor *parameter) {
    const tn_option csr = {"stype", "csr"};
    const tn_value x = {0, 0}, w = {1, 0}, cast = {2, 0};
    const tn_value sums[] = {cast, w}, outputs[] = {{3, 0}, {4, 0}, {5, 0}};
    uint32_t node;
    tn_status status = tn_graph_add_variable(graph, "x", NULL, &node);
    if (status == TN_OK) {
        status = tn_graph_add_parameter(graph, "w", parameter, &node);
    }
    if (status == TN_OK) {
        status = tn_graph_add_node(graph, "cast_storage", NULL, &csr, 1, &x, 1, &node);
    }
    if (status == TN_OK) {
        status = tn_graph_add_node(graph, "square", NULL, NULL, 0, &cast, 1, &node);
    }
    if (status == TN_OK) {
        status = tn_graph_add_node(graph, "broadcast_add", NULL, NULL, 0, sums, 2, &node);
    }
    if (status == TN_OK) {
        status = tn_graph_add_node(graph, "exp", NULL, NULL, 0, &cast, 1, &node);
    }
    return status == TN_OK ? tn_graph_set_outputs(graph, outputs, 3) : status;
}

static tn_status run_sparse_graph(tn_graph *graph, tn_tensor *input) {
    tn_session *session = NULL;
    tn_tensor *outputs[3] = {NULL};
    tn_status status = tn_session_create(graph, device, NULL, &session);
    if (status == TN_OK) {
        status = tn_session_run(session, &input, outputs);
    }
    for (int i = 0; i < 3; i++) {
        tn_tensor_release(outputs[i]);
    }
    tn_session_destroy(session);
    return status;
}

static tn_status make_rows(tn_tensor **out_tensor) {
    const int64_t extents[] = {3, 2};
    tn_tensor *tensor;
    tn_status status =
        tn_tensor_create_sparse(runtime, TN_STORAGE_ROW_SPARSE, TN_F32, 2, extents, 1, &tensor);
    if (status != TN_OK) {
        return status;
    }
    const tn_sparse *content = tn_tensor_sparse(tensor);
    content->indices[0] = 2;
    ((float *)content->values)[0] = ((float *)content->values)[1] = 1;
    status = tn_tensor_resize_sparse(tensor, 2);
    if (status == TN_OK) {
        status = tn_tensor_resize_sparse(tensor, 1);
    }
    if (status != TN_OK) {
        tn_tensor_release(tensor);
        return status;
    }
    *out_tensor = tensor;
    return TN_OK;
}

static tn_status sparse_work(void) {
    const tn_option dense = {"stype", "default"};
    tn_graph *graph = NULL;
    tn_tensor *parameter = NULL, *input = NULL;
    tn_status status = tn_graph_create(runtime, &graph);
    if (status == TN_OK) {
        status = make_rows(&parameter);
    }
    if (status == TN_OK) {
        status = tn_invoke(runtime, "cast_storage", &dense, 1, &parameter, 1, &input, 1);
    }
    if (status == TN_OK) {
        status = build_sparse_graph(graph, parameter);
    }
    if (status == TN_OK) {
        status = run_sparse_graph(graph, input);
    }
    tn_tensor_release(input);
    tn_tensor_release(parameter);
    tn_graph_destroy(graph);
    return status;
}

/* Each allocation of `work` fails in turn. */
static void fail_each(tn_status (*scenario)(void)) {
    long failures = 0;
    cr_assert_eq(tn_runtime_create(NULL, &runtime), TN_OK);
    cr_assert_eq(load(runtime), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    cr_assert_eq(scenario(), TN_OK, "%s",
                 tn_error_message()); /* what is kept for reuse is there now */
    for (long nth = 0;; nth++) {
        const long before = failing_malloc_alive();
        failing_malloc_arm(nth);
        const tn_status status = scenario();
        if (!failing_malloc_disarm()) {
            cr_assert_eq(status, TN_OK);
            break;
        }
        failures++;
        if (status != TN_OK) { /* OK: something did without, such as a pool */
            expect_out_of_memory(status, nth);
        }
        cr_expect_leq(failing_malloc_alive(), before, "allocation %ld failed and %ld are lost", nth,
                      failing_malloc_alive() - before);
        cr_assert_eq(scenario(), TN_OK, "after allocation %ld failed: %s", nth, tn_error_message());
    }
    cr_expect_gt(failures, 50);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

Test(out_of_memory, building_planning_and_running) {
    fail_each(work);
}

Test(out_of_memory, sparse_tensors) {
    fail_each(sparse_work);
}

Test(out_of_memory, eager_calls_of_a_new_form) {
    cr_assert_eq(tn_runtime_create(NULL, &runtime), TN_OK);
    cr_assert_eq(load(runtime), TN_OK);
    tn_tensor *input, *output = NULL;
    cr_assert_eq(make_input(&input), TN_OK);
    cr_assert_eq(tn_invoke(runtime, "relu", NULL, 0, &input, 1, &output, 1), TN_OK);
    for (long nth = 0;; nth++) {
        const long before = failing_malloc_alive();
        char text[32];
        snprintf(text, sizeof text, "%ld", nth);
        const tn_option scalar = {"scalar", text};
        failing_malloc_arm(nth);
        const tn_status status =
            tn_invoke(runtime, "_plus_scalar", &scalar, 1, &input, 1, &output, 1);
        if (!failing_malloc_disarm()) {
            cr_expect_eq(status, TN_OK);
            break;
        }
        if (status != TN_OK) {
            expect_out_of_memory(status, nth);
            cr_expect_leq(failing_malloc_alive(), before, "allocation %ld", nth);
        }
    }
    tn_tensor_release(input);
    tn_tensor_release(output);
    tn_runtime_destroy(runtime);
}

/* An operator of an extension library, with its gradient. */
static tn_status build_extension_graph(tn_graph *graph) {
    const tn_option parts = {"parts", "2"};
    uint32_t x, node;
    tn_status status = tn_graph_add_variable(graph, "x", NULL, &x);
    if (status == TN_OK) {
        const tn_value input = {x, 0};
        status = tn_graph_add_node(graph, "ext_split", "split", &parts, 1, &input, 1, &node);
    }
    tn_value outputs[2];
    if (status == TN_OK) {
        outputs[0] = (tn_value){node, 0};
        status = tn_graph_set_outputs(graph, outputs, 1);
    }
    if (status == TN_OK) {
        status = tn_graph_add_gradient(graph, &x, 1, &outputs[1]);
    }
    return status == TN_OK ? tn_graph_set_outputs(graph, outputs, 2) : status;
}

static tn_status extension_work(const char *path) {
    const char *name;
    tn_graph *graph = NULL;
    tn_session *session = NULL;
    tn_tensor *input = NULL, *outputs[2] = {NULL, NULL};
    tn_status status = tn_plugin_load(runtime, path, TN_LOAD_ALLOW_WRITABLE, &name);
    if (status != TN_OK) {
        return status;
    }
    status = tn_graph_create(runtime, &graph);
    if (status == TN_OK) {
        status = build_extension_graph(graph);
    }
    if (status == TN_OK) {
        status = tn_session_create(graph, device, NULL, &session);
    }
    if (status == TN_OK) {
        status = make_input(&input);
    }
    if (status == TN_OK) {
        status = tn_session_run(session, &input, outputs);
    }
    tn_tensor_release(input);
    tn_tensor_release(outputs[0]);
    tn_tensor_release(outputs[1]);
    tn_session_destroy(session);
    tn_graph_destroy(graph);
    return status;
}

/* What a library itself loses when it finds no memory is not counted here. */
Test(out_of_memory, extension_libraries) {
    char path[4096];
    long nth = 0;
    snprintf(path, sizeof path, "%s/loader-mxnet.so", getenv("TENON_TEST_PLUGINS"));
    cr_assert_eq(tn_runtime_create(NULL, &runtime), TN_OK);
    if (access(path, R_OK) != 0) {
        cr_skip_test("loader-mxnet is not built");
    }
    cr_assert_eq(load(runtime), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_plugin_load(runtime, path, 0, NULL), TN_OK, "%s", tn_error_message());
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    snprintf(path, sizeof path, "%s/tests/mxnet-extension/operators_11.so",
             getenv("TENON_TEST_BUILD"));
    /* The dynamic linker does not survive it when it finds no memory for a C++ library. */
    void *mapped = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(mapped);
    for (bool failed = true; failed; nth++) {
        failing_malloc_arm(nth);
        const tn_status status = extension_work(path);
        failed = failing_malloc_disarm();
        if (status != TN_OK) {
            expect_out_of_memory(status, nth);
        }
        cr_assert_eq(extension_work(path), TN_OK, "after allocation %ld failed: %s", nth,
                     tn_error_message());
        cr_assert_eq(tn_plugin_unload(runtime, "operators_11", 0, NULL), TN_OK, "%s",
                     tn_error_message());
    }
    cr_expect_gt(nth, 200);
    dlclose(mapped);
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

Test(out_of_memory, creating_a_runtime_and_loading) {
    /* Loading has thousands of allocations: the first ones all, then a sample. */
    long nth = 0;
    const long before = failing_malloc_alive();
    for (bool failed = true; failed; nth += nth < 200 ? 1 : 1 + nth / 16) {
        tn_runtime *made = NULL;
        failing_malloc_arm(nth);
        tn_status status = tn_runtime_create(NULL, &made);
        if (status == TN_OK) {
            status = load(made);
        }
        failed = failing_malloc_disarm();
        if (status != TN_OK) {
            expect_out_of_memory(status, nth);
        }
        tn_runtime_destroy(made);
    }
    cr_expect_gt(nth, 200);
    /* The dynamic loader keeps what it has loaded; beyond that nothing grows. */
    cr_expect_lt(failing_malloc_alive() - before, 200);
}
