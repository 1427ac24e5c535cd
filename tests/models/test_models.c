/*
 * Real MXNet models against arrays that another implementation computed. They are not part of the
 * project: the folder TENON_TEST_MODELS has a folder a model, whose model.json names the symbol,
 * the cases with their input and expected files, and the tolerance. Without it the tests skip.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "common/single_node.h"

enum { MAX_TENSORS = 64, PATH_SIZE = 4096 };

typedef struct model_folder {
    char name[128];
} model_folder;

static const char *models(void) {
    const char *folder = getenv("TENON_TEST_MODELS");
    return folder == NULL ? "" : folder;
}

static int is_mxnet_model(const struct dirent *entry) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s/model.json", models(), entry->d_name);
    FILE *file = strncmp(entry->d_name, "mxnet-", 6) == 0 ? fopen(path, "r") : NULL;
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

static tn_tensor *read_tensor(tn_runtime *runtime, const char *folder, const char *file) {
    char path[PATH_SIZE];
    tn_tensor_list *list;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    cr_assert_eq(tn_tensor_list_read(runtime, path, &list), TN_OK, "%s", tn_error_message());
    tn_tensor *tensor = tn_tensor_list_get(list, 0);
    tn_tensor_retain(tensor);
    tn_tensor_list_destroy(list);
    return tensor;
}

static uint32_t find(const tn_session *session, const char *name, bool output) {
    const uint32_t count =
        output ? tn_session_output_count(session) : tn_session_input_count(session);
    for (uint32_t i = 0; i < count; i++) {
        const char *candidate =
            output ? tn_session_output_name(session, i) : tn_session_input_name(session, i);
        if (strcmp(candidate, name) == 0) {
            return i;
        }
    }
    cr_assert_fail("the model has no %s %s", output ? "output" : "input", name);
    return 0;
}

static void run_case(tn_runtime *runtime, tn_session *session, const char *folder, const char *name,
                     const json_t *test, double rtol, double atol) {
    tn_tensor *inputs[MAX_TENSORS] = {0}, *outputs[MAX_TENSORS] = {0};
    const json_t *given = json_object_get(test, "inputs");
    const json_t *wanted = json_object_get(test, "outputs");
    for (size_t i = 0; i < json_array_size(given); i++) {
        const json_t *input = json_array_get(given, i);
        const uint32_t index =
            find(session, json_string_value(json_object_get(input, "name")), false);
        inputs[index] =
            read_tensor(runtime, folder, json_string_value(json_object_get(input, "file")));
    }
    cr_assert_eq(tn_session_run(session, inputs, outputs), TN_OK, "case %s: %s", name,
                 tn_error_message());
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        char message[1024];
        const json_t *output = json_array_get(wanted, i);
        const char *output_name = json_string_value(json_object_get(output, "name"));
        tn_tensor *expected =
            read_tensor(runtime, folder, json_string_value(json_object_get(output, "file")));
        tn_tensor **got = &outputs[find(session, output_name, true)];
        cr_assert_eq(test_to_host(runtime, got), TN_OK, "%s", tn_error_message());
        const bool agree = test_tensors_agree(tn_tensor_view(*got), tn_tensor_view(expected), rtol,
                                              atol, message, sizeof message);
        cr_expect(agree, "case %s, output %s: %s", name, output_name, message);
        tn_tensor_release(expected);
    }
    for (int i = 0; i < MAX_TENSORS; i++) {
        tn_tensor_release(inputs[i]);
        tn_tensor_release(outputs[i]);
    }
}

/* Partitions the graph for the inputs of its first case, and sees that something was taken. */
static void partition(tn_runtime *runtime, tn_graph *graph, const char *folder, json_t *model,
                      const char *text) {
    tn_named_type types[MAX_TENSORS];
    json_t *cases = json_object_get(model, "cases");
    const json_t *given =
        json_object_get(json_object_iter_value(json_object_iter(cases)), "inputs");
    uint32_t count = 0, taken = 0;
    for (size_t i = 0; i < json_array_size(given); i++) {
        const json_t *input = json_array_get(given, i);
        tn_tensor *tensor =
            read_tensor(runtime, folder, json_string_value(json_object_get(input, "file")));
        const tn_view *view = tn_tensor_view(tensor);
        types[count++] = (tn_named_type){json_string_value(json_object_get(input, "name")),
                                         {view->dtype, 0, tn_shape_of(view->rank, view->shape)}};
        tn_tensor_release(tensor);
    }
    cr_assert_eq(tn_graph_partition_text(graph, text, types, count), TN_OK, "%s",
                 tn_error_message());
    for (uint32_t i = 0; i < tn_graph_node_count(graph); i++) {
        tn_node_info info = {.struct_size = TN_NODE_INFO_SIZE};
        cr_assert_eq(tn_graph_node(graph, i, &info), TN_OK);
        taken += info.subgraph_count;
    }
    cr_expect_gt(taken, 0u, "%s takes nothing", text);
}

static void run_model(tn_runtime *runtime, const char *folder, json_t *model, const char *text) {
    char path[PATH_SIZE];
    const json_t *tolerance = json_object_get(model, "tolerance");
    const double rtol = json_number_value(json_object_get(tolerance, "rtol"));
    const double atol = json_number_value(json_object_get(tolerance, "atol"));
    const char *device_name = getenv("TENON_TEST_DEVICE");
    tn_graph *graph;
    tn_device *device;
    tn_session *session;
    snprintf(path, sizeof path, "%s/%s", folder,
             json_string_value(json_object_get(model, "model")));
    cr_assert_eq(tn_graph_read(runtime, path, NULL, NULL, 0, &graph), TN_OK, "%s",
                 tn_error_message());
    if (text != NULL) {
        partition(runtime, graph, folder, model, text);
    }
    if (tn_device_open(runtime, device_name == NULL ? "cpu" : device_name, &device) != TN_OK) {
        cr_skip_test("%s", tn_error_message());
    }
    cr_assert_eq(tn_session_create(graph, device, NULL, &session), TN_OK, "%s", tn_error_message());
    tn_graph_destroy(graph);
    const char *name;
    json_t *test;
    json_object_foreach(json_object_get(model, "cases"), name, test) {
        run_case(runtime, session, folder, name, test, rtol, atol);
    }
    tn_session_destroy(session);
    tn_device_close(device);
}

ParameterizedTestParameters(models, match_what_is_expected) {
    struct dirent **entries;
    const int count = scandir(models(), &entries, is_mxnet_model, alphasort);
    const size_t rows = count > 0 ? (size_t)count : 1;
    model_folder *folders = cr_malloc(sizeof *folders * rows);
    folders[0].name[0] = '\0'; /* no models: one test that skips */
    for (int i = 0; i < count; i++) {
        snprintf(folders[i].name, sizeof folders[i].name, "%s", entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return cr_make_param_array(model_folder, folders, rows, NULL);
}

ParameterizedTest(model_folder *folder, models, match_what_is_expected) {
    char path[PATH_SIZE], file[PATH_SIZE + 16];
    json_error_t error;
    if (folder->name[0] == '\0') {
        cr_skip_test("no models: the folder that TENON_TEST_MODELS names is not there");
    }
    snprintf(path, sizeof path, "%s/%s", models(), folder->name);
    snprintf(file, sizeof file, "%s/model.json", path);
    json_t *model = json_load_file(file, 0, &error);
    cr_assert_not_null(model, "%s: %s", file, error.text);
    tn_runtime *runtime = test_runtime();
    cr_assert_not_null(runtime);
    /* As it is, in parts that run where the rest does, and in parts with a device of their own. */
    static const char *const partitions[] = {
        NULL, "oplist:ops=Convolution|BatchNorm|Activation|FullyConnected|Pooling|elemwise_add",
        "device:device=cpu,always=True"};
    for (size_t i = 0; i < sizeof partitions / sizeof partitions[0]; i++) {
        run_model(runtime, path, model, partitions[i]);
    }
    cr_expect_eq(test_validation_messages(runtime), 0, "the validation layer has complaints");
    tn_runtime_destroy(runtime);
    json_decref(model);
}
