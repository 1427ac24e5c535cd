/* The operator fused_elementwise by itself: its functions, on the CPU and on a device. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "common/single_node.h"
#include "random_graph.h"

static tn_runtime *runtime;

static void set_up(void) {
    runtime = test_runtime();
    cr_assert_not_null(runtime);
}

static void tear_down(void) {
    tn_runtime_destroy(runtime);
}

static const char *const unary[] = {
    "abs",     "sign",     "ceil",    "floor",   "rint",    "round",   "trunc",
    "square",  "negative", "relu",    "sqrt",    "rsqrt",   "cbrt",    "rcbrt",
    "exp",     "log",      "log10",   "log2",    "log1p",   "expm1",   "sin",
    "cos",     "tan",      "arcsin",  "arccos",  "arctan",  "sinh",    "cosh",
    "tanh",    "arcsinh",  "arccosh", "arctanh", "degrees", "radians", "reciprocal",
    "sigmoid", "softsign", "erf",     "erfinv",  "gamma",   "gammaln", "logical_not"};
static const char *const binary[][2] = {
    {"add", "broadcast_add"},
    {"subtract", "broadcast_sub"},
    {"multiply", "broadcast_mul"},
    {"divide", "broadcast_div"},
    {"mod", "broadcast_mod"},
    {"maximum", "broadcast_maximum"},
    {"minimum", "broadcast_minimum"},
    {"equal", "broadcast_equal"},
    {"not_equal", "broadcast_not_equal"},
    {"greater", "broadcast_greater"},
    {"greater_equal", "broadcast_greater_equal"},
    {"lesser", "broadcast_lesser"},
    {"lesser_equal", "broadcast_lesser_equal"},
    {"logical_and", "broadcast_logical_and"},
    {"logical_or", "broadcast_logical_or"},
    {"logical_xor", "broadcast_logical_xor"},
    {"power", "broadcast_power"},
    {"hypot", "broadcast_hypot"},
};

enum { UNARY = sizeof unary / sizeof *unary, BINARY = sizeof binary / sizeof *binary };

/* Between -1 and 3, so that most functions have most of them; of a dtype. */
static tn_tensor *numbers(tn_dtype dtype, uint32_t seed) {
    static const int64_t extents[] = {3, 401};
    tn_tensor *made = random_tensor(runtime, seed, 2, extents), *cast = NULL;
    const tn_option option = {"dtype", tn_dtype_name(dtype)};
    float *elements = tn_tensor_data(made);
    for (int64_t i = 0; i < 3 * 401; i++) {
        elements[i] = i % 50 == 0 ? 0 : elements[i] * 2 + 1;
    }
    cr_assert_eq(tn_invoke(runtime, "Cast", &option, 1, &made, 1, &cast, 1), TN_OK);
    tn_tensor_release(made);
    return cast;
}

static tn_tensor *call(const char *op, const char *program, tn_tensor *const *inputs,
                       uint32_t count) {
    const tn_option option = {"program", program};
    tn_tensor *output = NULL;
    cr_assert_eq(tn_invoke(runtime, op, &option, program != NULL, inputs, count, &output, 1), TN_OK,
                 "%s: %s", op, tn_error_message());
    return output;
}

/* Every function by itself is the operator that it is named after. */
static void compare_functions(tn_dtype dtype) {
    tn_tensor *const inputs[] = {numbers(dtype, 1), numbers(dtype, 2)};
    for (int i = 0; i < UNARY + BINARY; i++) {
        const int is_unary = i < UNARY;
        const char *op = is_unary ? unary[i] : binary[i - UNARY][1];
        char program[64], message[512];
        snprintf(program, sizeof program, is_unary ? "%s(%%0)" : "%s(%%0,%%1)",
                 is_unary ? op : binary[i - UNARY][0]);
        tn_tensor *expected = call(op, NULL, inputs, is_unary ? 1 : 2);
        tn_tensor *got = call("fused_elementwise", program, inputs, is_unary ? 1 : 2);
        cr_expect(test_tensors_agree(tn_tensor_view(got), tn_tensor_view(expected), 0, 0, message,
                                     sizeof message),
                  "%s: %s", program, message);
        tn_tensor_release(got);
        tn_tensor_release(expected);
    }
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
}

Test(fused_operator, functions_are_those_of_the_operators, .init = set_up, .fini = tear_down) {
    compare_functions(TN_F32);
    compare_functions(TN_F64);
    compare_functions(TN_F16);
    compare_functions(TN_BF16);
}

/* Sums of four functions, on a device and on the CPU. */
static void write_sum(int first, char *program, size_t size) {
    uint32_t result = 2;
    size_t used = 0;
    for (int i = first; i < first + 4 && i < UNARY + BINARY; i++) {
        used += (size_t)(i < UNARY ? snprintf(program + used, size - used, "%s(%%0) ", unary[i])
                                   : snprintf(program + used, size - used, "%s(%%0,%%1) ",
                                              binary[i - UNARY][0]));
        used += (size_t)snprintf(program + used, size - used, "tanh(%%%u) ", result);
        used += (size_t)(i == first
                             ? snprintf(program + used, size - used, "add(%%%u,%%0) ", result + 1)
                             : snprintf(program + used, size - used, "add(%%%u,%%%u) ", result + 1,
                                        result - 1));
        result += 3;
    }
}

Test(fused_operator, functions_are_the_same_on_a_device, .init = set_up, .fini = tear_down) {
    tn_device *device;
    tn_tensor *const inputs[] = {numbers(TN_F32, 1), numbers(TN_F32, 2)};
    if (tn_device_open(runtime, "vulkan", &device) != TN_OK) {
        cr_skip_test("%s", tn_error_message());
    }
    for (int first = 0; first < UNARY + BINARY; first += 4) {
        char program[512], message[512];
        tn_tensor *got = NULL;
        bool on_device = false;
        write_sum(first, program, sizeof program);
        tn_tensor *expected = call("fused_elementwise", program, inputs, 2);
        const tn_option option = {"program", program};
        cr_assert_eq(test_run_node(runtime, device, "fused_elementwise", &option, 1, inputs, 2, 0,
                                   &got, 1, &on_device),
                     TN_OK, "%s", tn_error_message());
        cr_expect(on_device, "%s", program);
        cr_expect(test_tensors_agree(tn_tensor_view(got), tn_tensor_view(expected), 1e-4, 1e-4,
                                     message, sizeof message),
                  "%s: %s", program, message);
        tn_tensor_release(got);
        tn_tensor_release(expected);
    }
    tn_tensor_release(inputs[0]);
    tn_tensor_release(inputs[1]);
    tn_device_close(device);
}

/* What is wrong with a program is said in words. */
Test(fused_operator, refuses_wrong_programs, .init = set_up, .fini = tear_down) {
    static const char *const wrong[][2] = {
        {"", "is no step"},
        {"relu", "is no step"},
        {"relu(%1)", "is no step"},
        {"relu(%0) relu(%2)", "is no step"},
        {"add(%0,$0)", "is no step"},
        {"add(%0,%0,%0,%0)", "is no step"},
        {"add(%0", "is no step"},
        {"fly(%0)", "no function fly"},
        {"relu(%0,%0)", "takes 1 operands and is given 2"},
        {"clip(%0,%0,%0)", "numbers for the rest"},
        {"relu(%99999999999)", "is no step"},
        {"a_name_that_is_too_long(%0)", "is no step"},
    };
    tn_graph *graph;
    tn_value x = {0, 0};
    cr_assert_eq(tn_graph_create(runtime, &graph), TN_OK);
    cr_assert_eq(tn_graph_add_variable(graph, "x", NULL, &x.node), TN_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const tn_option option = {"program", wrong[i][0]};
        uint32_t added;
        cr_expect_eq(tn_graph_add_node(graph, "fused_elementwise", NULL, &option, 1, &x, 1, &added),
                     TN_INVALID_ARGUMENT, "%s", wrong[i][0]);
        cr_expect_not_null(strstr(tn_error_message(), wrong[i][1]), "%s: %s", wrong[i][0],
                           tn_error_message());
    }
    tn_graph_destroy(graph);
}
