/*
 * Every operator against values from an independent framework: cases/ has a file an operator (see
 * README.md). A case is an eager call, or, on the device that TENON_TEST_DEVICE names and where
 * some inputs are constant or absent, a session of one node.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "common/single_node.h"

enum { MAX_TENSORS = 64 };

static tn_runtime *runtime;
static tn_device *device; /* NULL: eager calls */
static tn_device *cpu;

static void release_all(tn_tensor **tensors, size_t count) {
    for (size_t i = 0; i < count; i++) {
        tn_tensor_release(tensors[i]);
    }
}

/* Bit i: input i is a constant of the graph. */
static uint64_t constants_of(const json_t *test) {
    const json_t *list = json_object_get(test, "constants");
    uint64_t constants = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        constants |= (uint64_t)1 << json_integer_value(json_array_get(list, i));
    }
    return constants;
}

/* The visible outputs of the case; those beyond the listed ones are asked for and not looked at. */
static tn_status invoke(const char *op, const json_t *test, tn_tensor **inputs, size_t input_count,
                        tn_tensor **outputs, uint32_t *out_count) {
    tn_option options[32];
    uint32_t option_count = 0;
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(test, "attributes"), key, value) {
        options[option_count++] = (tn_option){key, json_string_value(value)};
    }
    const tn_status status = tn_invoke_output_count(runtime, op, options, option_count,
                                                    (uint32_t)input_count, out_count);
    if (status != TN_OK || *out_count > MAX_TENSORS) {
        return status;
    }
    bool is_eager = device == NULL && json_object_get(test, "constants") == NULL;
    for (size_t i = 0; i < input_count; i++) {
        is_eager = is_eager && inputs[i] != NULL;
    }
    return is_eager ? tn_invoke(runtime, op, options, option_count, inputs, (uint32_t)input_count,
                                outputs, *out_count)
                    : test_run_node(runtime, device != NULL ? device : cpu, op, options,
                                    option_count, inputs, (uint32_t)input_count, constants_of(test),
                                    outputs, *out_count, NULL);
}

/* Another device adds in another order: so much of the largest element may differ. */
static double device_slack(const tn_view *expected) {
    double largest = 0;
    if (expected->dtype != TN_F32 && expected->dtype != TN_F16) {
        return 0;
    }
    for (int64_t i = 0; i < tn_element_count(expected); i++) {
        const double magnitude = fabs(test_element(expected, i));
        largest = isfinite(magnitude) && magnitude > largest ? magnitude : largest;
    }
    return largest * (expected->dtype == TN_F32 ? 1e-5 : 1e-3);
}

static bool run_case(const char *op, const json_t *test, char *message, size_t size) {
    tn_tensor *inputs[MAX_TENSORS] = {0}, *outputs[MAX_TENSORS] = {0};
    const json_t *given = json_object_get(test, "inputs"),
                 *wanted = json_object_get(test, "outputs");
    const double rtol = json_number_value(json_object_get(test, "rtol"));
    const double atol = json_number_value(json_object_get(test, "atol"));
    uint32_t output_count = 0;
    bool passed = true;
    for (size_t i = 0; i < json_array_size(given); i++) {
        const json_t *tensor = json_array_get(given, i);
        if (!json_is_null(tensor)) {
            cr_assert_eq(test_tensor_from_json(runtime, tensor, &inputs[i]), TN_OK);
        }
    }
    const char *error = json_string_value(json_object_get(test, "error"));
    if (device != NULL && json_object_get(test, "errors_on") != NULL) {
        error = NULL; /* a device cannot raise it: that it gives something is all there is */
    }
    const tn_status status =
        invoke(op, test, inputs, json_array_size(given), outputs, &output_count);
    if (error != NULL) {
        passed = status != TN_OK && strstr(tn_error_message(), error) != NULL;
        snprintf(message, size, "expected an error with '%s', not '%s'", error,
                 status == TN_OK ? "success" : tn_error_message());
    } else if (status != TN_OK) {
        snprintf(message, size, "%s", tn_error_message());
        passed = false;
    } else if (output_count < json_array_size(wanted)) {
        snprintf(message, size, "has %u outputs, expected %zu", output_count,
                 json_array_size(wanted));
        passed = false;
    }
    for (size_t i = 0; passed && i < json_array_size(wanted); i++) {
        tn_tensor *expected = NULL;
        cr_assert_eq(test_tensor_from_json(runtime, json_array_get(wanted, i), &expected), TN_OK);
        const tn_view *view = tn_tensor_view(expected);
        const double slack = device != NULL ? device_slack(view) : 0;
        passed =
            test_tensors_agree(tn_tensor_view(outputs[i]), view, rtol, atol + slack, message, size);
        tn_tensor_release(expected);
    }
    release_all(inputs, MAX_TENSORS);
    release_all(outputs, MAX_TENSORS);
    return passed;
}

static void run_file(const char *path) {
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    cr_assert(root != NULL, "%s: line %d: %s", path, error.line, error.text);
    const char *op = json_string_value(json_object_get(root, "operator"));
    const json_t *cases = json_object_get(root, "cases");
    for (size_t i = 0; i < json_array_size(cases); i++) {
        char message[4096];
        const json_t *test = json_array_get(cases, i);
        const bool passed = run_case(op, test, message, sizeof message);
        cr_expect(passed, "%s, case \"%s\": %s", op,
                  json_string_value(json_object_get(test, "name")), message);
    }
    json_decref(root);
}

static int is_case_file(const struct dirent *entry) {
    const size_t size = strlen(entry->d_name);
    return size > 5 && strcmp(entry->d_name + size - 5, ".json") == 0;
}

typedef struct case_file {
    char name[64];
} case_file;

ParameterizedTestParameters(operators, agree_with_the_reference) {
    char directory[4096];
    struct dirent **entries;
    snprintf(directory, sizeof directory, "%s/tests/operators/cases", getenv("TENON_TEST_SOURCE"));
    const int count = scandir(directory, &entries, is_case_file, alphasort);
    case_file *files = cr_malloc(sizeof *files * (count > 0 ? (size_t)count : 1));
    for (int i = 0; i < count; i++) {
        snprintf(files[i].name, sizeof files[i].name, "%s", entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return cr_make_param_array(case_file, files, count > 0 ? (size_t)count : 0, NULL);
}

ParameterizedTest(case_file *file, operators, agree_with_the_reference) {
    char path[4200];
    snprintf(path, sizeof path, "%s/tests/operators/cases/%s", getenv("TENON_TEST_SOURCE"),
             file->name);
    runtime = test_runtime();
    cr_assert(runtime != NULL);
    cr_assert_eq(tn_device_open(runtime, "cpu", &cpu), TN_OK);
    int unavailable;
    device = test_device(runtime, &unavailable);
    if (unavailable) {
        cr_skip_test("%s", tn_error_message());
    }
    run_file(path);
    cr_expect_eq(test_validation_messages(runtime), 0, "the validation layer has complaints");
    tn_device_close(device);
    tn_device_close(cpu);
    tn_runtime_destroy(runtime);
}
