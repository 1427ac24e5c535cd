/*
 * Every operator with a device kernel, with random shapes and attributes, on the device that
 * TENON_TEST_DEVICE names and on the CPU. TENON_TEST_ROUNDS cases are made for each (3), from
 * TENON_TEST_SEED (1).
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arrays.h"
#include "common/single_node.h"
#include "random_case.h"

static tn_runtime *runtime;
static tn_device *device;

static void set_up(void) {
    int unavailable;
    runtime = test_runtime();
    cr_assert(runtime != NULL);
    device = test_device(runtime, &unavailable);
    if (device == NULL) {
        cr_skip_test("%s", unavailable ? tn_error_message()
                                       : "TENON_TEST_DEVICE names no device to compare with");
    }
}

static void tear_down(void) {
    if (device != NULL) {
        cr_expect_eq(test_validation_messages(runtime), 0, "the validation layer has complaints");
    }
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

TestSuite(random, .init = set_up, .fini = tear_down, .timeout = 3600);

static uint64_t setting(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

/* The first round is one that every device computes. */
static void run_operator(const random_generator *generator) {
    const uint64_t rounds = setting("TENON_TEST_ROUNDS", 3), seed = setting("TENON_TEST_SEED", 1);
    bool ran_on_device = false;
    for (uint64_t round = 0; round < rounds; round++) {
        char message[4096];
        random_case c = {
            .runtime = runtime, .device = device, .op = generator->op, .is_plain = round == 0};
        c.state = seed * 1000003 + round;
        for (const char *at = generator->op; *at != '\0'; at++) {
            c.state = c.state * 31 + (unsigned char)*at;
        }
        generator->make(&c);
        cr_expect(random_run(&c, message, sizeof message), "seed %llu, round %llu: %s",
                  (unsigned long long)seed, (unsigned long long)round, message);
        ran_on_device |= c.ran_on_device;
        random_finish(&c);
    }
    cr_expect(ran_on_device, "%s did not run on the device in %llu rounds", generator->op,
              (unsigned long long)rounds);
}

/* TENON_TEST_OPERATOR takes one of them. */
static void run_family(const random_family *family) {
    const char *only = getenv("TENON_TEST_OPERATOR");
    for (uint32_t i = 0; i < family->count; i++) {
        if (only == NULL || strcmp(only, family->generators[i].op) == 0) {
            run_operator(&family->generators[i]);
        }
    }
}

Test(random, elementwise) {
    run_family(&random_elementwise);
}

Test(random, moving) {
    run_family(&random_moving);
}

Test(random, reducing) {
    run_family(&random_reducing);
}

Test(random, network) {
    run_family(&random_network);
}

Test(random, onnx) {
    run_family(&random_onnx);
}

/* ---- None is forgotten ---- */

static bool has_device_kernel(const char *op) {
    tn_device_info info = {.struct_size = TN_DEVICE_INFO_SIZE};
    cr_assert_eq(tn_device_describe(device, &info), TN_OK);
    for (uint32_t i = 0; i < tn_op_kernel_count(runtime, op); i++) {
        const char *name;
        const tn_kernel *kernel;
        cr_assert_eq(tn_op_kernel(runtime, op, i, &name, &kernel), TN_OK);
        if (strcmp(kernel->target, info.targets) == 0) {
            return true;
        }
    }
    return false;
}

/* Operators whose lists are inputs in every form, or whose equation names the axes: the conformance
 * suite runs them on the device. */
static bool is_of_conformance(const char *name) {
    static const char *const names[] = {"onnx.ConstantOfShape",
                                        "onnx.CumProd",
                                        "onnx.CumSum",
                                        "onnx.Dropout",
                                        "onnx.Einsum",
                                        "onnx.Expand",
                                        "onnx.GRU",
                                        "onnx.LSTM",
                                        "onnx.RNN",
                                        "onnx.Flatten",
                                        "onnx.Reshape",
                                        "onnx.Resize",
                                        "onnx.ScatterElements",
                                        "onnx.Squeeze",
                                        "onnx.ScatterND",
                                        "onnx.Tile",
                                        "onnx.Unsqueeze"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* By the operator, not by its name: another name of it will do. */
static bool is_in_family(const random_family *family, const tn_op *op) {
    for (uint32_t i = 0; i < family->count; i++) {
        if (tn_op_find(runtime, family->generators[i].op, NULL) == op) {
            return true;
        }
    }
    return false;
}

Test(random, every_operator_with_a_device_kernel_has_cases) {
    const random_family *families[] = {&random_elementwise, &random_moving, &random_reducing,
                                       &random_network, &random_onnx};
    for (uint32_t i = 0; i < tn_op_count(runtime); i++) {
        const char *name = tn_op_name(runtime, i);
        const tn_op *op = tn_op_find(runtime, name, NULL);
        bool is_covered = is_of_conformance(name);
        for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
            is_covered |= is_in_family(families[f], op);
        }
        cr_expect(is_covered || !has_device_kernel(name), "%s has a device kernel and no generator",
                  name);
    }
}
