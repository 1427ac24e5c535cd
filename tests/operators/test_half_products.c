/*
 * Products and convolutions of float16 of the sizes at which a device's matrix units are used: with
 * whole and partial tiles, small and large ones. Some results of each are compared with sums of
 * doubles. On the device that TENON_TEST_DEVICE names.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include <tenon/plugin/helpers.h>

#include "common/arrays.h"
#include "common/single_node.h"

enum { SAMPLES = 300 };

static tn_runtime *runtime;
static tn_device *device;

static void open_device(void) {
    int unavailable;
    runtime = test_runtime();
    cr_assert(runtime != NULL);
    device = test_device(runtime, &unavailable);
    if (unavailable) {
        cr_skip_test("%s", tn_error_message());
    }
}

static void close_device(void) {
    cr_expect_eq(test_validation_messages(runtime), 0, "the validation layer has complaints");
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Eighths from -1 to 1. */
static tn_tensor *filled(uint32_t seed, int32_t rank, const int64_t *extents) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F16, rank, extents, &tensor), TN_OK);
    const tn_view *view = tn_tensor_view(tensor);
    for (int64_t i = 0; i < tn_element_count(view); i++) {
        test_set_element(view, i, ((int)(next(&seed) % 17) - 8) / 8.0);
    }
    return tensor;
}

static double element(const tn_tensor *tensor, int64_t index) {
    return test_element(tn_tensor_view(tensor), index);
}

static tn_tensor *run(const char *op, const tn_option *options, uint32_t option_count,
                      tn_tensor *const *inputs, uint32_t input_count) {
    tn_tensor *output = NULL;
    bool on_device = false;
    cr_assert_eq(test_run_node(runtime, device, op, options, option_count, inputs, input_count, 0,
                               &output, 1, &on_device),
                 TN_OK, "%s: %s", op, tn_error_message());
    cr_expect(on_device, "%s: the CPU did it", op);
    return output;
}

/* Compares results at random, by the function that computes one, within a thousandth of the largest
 * and float16's own rounding. */
static void compare(const char *what, const tn_tensor *output,
                    double (*expected_at)(const void *context, int64_t index),
                    const void *context) {
    const int64_t count = tn_element_count(tn_tensor_view(output));
    double expected[SAMPLES], largest = 0;
    int64_t places[SAMPLES];
    uint32_t seed = 99;
    for (int i = 0; i < SAMPLES; i++) {
        const uint64_t random = (uint64_t)next(&seed) << 16 | next(&seed);
        places[i] = i == 0 ? 0 : i == 1 ? count - 1 : (int64_t)(random % (uint64_t)count);
        expected[i] = expected_at(context, places[i]);
        largest = fabs(expected[i]) > largest ? fabs(expected[i]) : largest;
    }
    for (int i = 0; i < SAMPLES; i++) {
        const double got = element(output, places[i]);
        const double slack = 1e-3 * largest + fabs(expected[i]) / 1024;
        cr_expect(fabs(got - expected[i]) <= slack, "%s: element %lld is %g, expected %g", what,
                  (long long)places[i], got, expected[i]);
    }
}

typedef struct product {
    int64_t batches; /* 0: dot */
    int64_t rows, columns, terms;
    int left_is_turned, right_is_turned;
    tn_tensor *left, *right;
} product;

static double product_at(const void *context, int64_t index) {
    const product *given = context;
    const int64_t batch = index / (given->rows * given->columns);
    const int64_t row = index / given->columns % given->rows, column = index % given->columns;
    double sum = 0;
    for (int64_t k = 0; k < given->terms; k++) {
        const int64_t left = given->left_is_turned ? k * given->rows + row : row * given->terms + k;
        const int64_t right =
            given->right_is_turned ? column * given->terms + k : k * given->columns + column;
        sum += element(given->left, batch * given->rows * given->terms + left) *
               element(given->right, batch * given->columns * given->terms + right);
    }
    return sum;
}

static void try_product(product given) {
    const int64_t batches = given.batches > 0 ? given.batches : 1;
    const int is_dot = given.batches == 0;
    const int64_t left[] = {batches, given.left_is_turned ? given.terms : given.rows,
                            given.left_is_turned ? given.rows : given.terms};
    const int64_t right[] = {batches, given.right_is_turned ? given.columns : given.terms,
                             given.right_is_turned ? given.terms : given.columns};
    const tn_option options[] = {{"transpose_a", given.left_is_turned ? "True" : "False"},
                                 {"transpose_b", given.right_is_turned ? "True" : "False"}};
    char what[128];
    given.left = filled(1, 3 - is_dot, left + is_dot);
    given.right = filled(2, 3 - is_dot, right + is_dot);
    tn_tensor *inputs[] = {given.left, given.right};
    tn_tensor *output = run(is_dot ? "dot" : "batch_dot", options, 2, inputs, 2);
    snprintf(what, sizeof what, "product %lld of %lld x %lld x %lld, %d %d", (long long)batches,
             (long long)given.rows, (long long)given.columns, (long long)given.terms,
             given.left_is_turned, given.right_is_turned);
    compare(what, output, product_at, &given);
    tn_tensor_release(given.left);
    tn_tensor_release(given.right);
    tn_tensor_release(output);
}

Test(half_products, of_all_forms, .init = open_device, .fini = close_device) {
    static const int64_t sizes[][4] = {
        {0, 16, 16, 8},  {0, 64, 64, 64},     {0, 144, 72, 40},    {0, 48, 264, 200},
        {3, 80, 40, 24}, {0, 1280, 2560, 32}, {0, 1296, 2440, 40},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int step = sizes[i][0] == 0 && sizes[i][1] > 1000 ? 2 : 1; /* large ones take long */
        for (int turned = 0; turned < 4; turned += step) {
            try_product((product){.batches = sizes[i][0],
                                  .rows = sizes[i][1],
                                  .columns = sizes[i][2],
                                  .terms = sizes[i][3],
                                  .left_is_turned = turned & 1,
                                  .right_is_turned = turned >> 1});
        }
    }
}

typedef struct layer {
    int64_t rows, columns, terms;
    tn_tensor *data, *weight, *bias;
} layer;

static double layer_at(const void *context, int64_t index) {
    const layer *given = context;
    const int64_t row = index / given->columns, column = index % given->columns;
    double sum = element(given->bias, column);
    for (int64_t k = 0; k < given->terms; k++) {
        sum += element(given->data, row * given->terms + k) *
               element(given->weight, column * given->terms + k);
    }
    return sum;
}

Test(half_products, with_a_bias, .init = open_device, .fini = close_device) {
    static const int64_t sizes[][3] = {
        {16, 24, 16}, {64, 128, 72}, {160, 88, 136}, {1280, 2560, 64}, {1296, 2440, 24}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int64_t *size = sizes[i];
        const int64_t data[] = {size[0], size[2]}, weight[] = {size[1], size[2]};
        char what[96], hidden[24];
        layer given = {size[0],
                       size[1],
                       size[2],
                       filled(3, 2, data),
                       filled(4, 2, weight),
                       filled(5, 1, weight)};
        snprintf(hidden, sizeof hidden, "%lld", (long long)size[1]);
        snprintf(what, sizeof what, "layer of %lld x %lld x %lld", (long long)size[0],
                 (long long)size[1], (long long)size[2]);
        const tn_option options[] = {{"num_hidden", hidden}};
        tn_tensor *inputs[] = {given.data, given.weight, given.bias};
        tn_tensor *output = run("FullyConnected", options, 1, inputs, 3);
        compare(what, output, layer_at, &given);
        tn_tensor_release(given.data);
        tn_tensor_release(given.weight);
        tn_tensor_release(given.bias);
        tn_tensor_release(output);
    }
}

typedef struct convolution {
    int64_t samples, channels, height, width, filters, groups;
    int64_t kernel, stride, pad, dilate; /* the same along both axes */
    tn_tensor *data, *weight, *bias;
} convolution;

static int64_t extent_after(const convolution *given, int64_t extent) {
    const int64_t reach = (given->kernel - 1) * given->dilate + 1;
    return (extent + 2 * given->pad - reach) / given->stride + 1;
}

static double convolution_at(const void *context, int64_t index) {
    const convolution *given = context;
    const int64_t high = extent_after(given, given->height);
    const int64_t wide = extent_after(given, given->width);
    const int64_t x = index % wide, y = index / wide % high;
    const int64_t filter = index / wide / high % given->filters;
    const int64_t sample = index / wide / high / given->filters;
    const int64_t each = given->channels / given->groups;
    const int64_t first = filter / (given->filters / given->groups) * each;
    double sum = element(given->bias, filter);
    for (int64_t c = 0; c < each; c++) {
        for (int64_t k = 0; k < given->kernel * given->kernel; k++) {
            const int64_t from_y =
                y * given->stride - given->pad + k / given->kernel * given->dilate;
            const int64_t from_x =
                x * given->stride - given->pad + k % given->kernel * given->dilate;
            if (from_y < 0 || from_x < 0 || from_y >= given->height || from_x >= given->width) {
                continue;
            }
            const int64_t plane = sample * given->channels + first + c;
            sum += element(given->data, (plane * given->height + from_y) * given->width + from_x) *
                   element(given->weight, (filter * each + c) * given->kernel * given->kernel + k);
        }
    }
    return sum;
}

static void try_convolution(convolution given) {
    const int64_t data[] = {given.samples, given.channels, given.height, given.width};
    const int64_t weight[] = {given.filters, given.channels / given.groups, given.kernel,
                              given.kernel};
    char what[128], texts[6][32];
    const int64_t pairs[] = {given.kernel, given.stride, given.pad, given.dilate};
    for (int i = 0; i < 4; i++) {
        snprintf(texts[i], sizeof texts[i], "(%d, %d)", (int)pairs[i], (int)pairs[i]);
    }
    snprintf(texts[4], sizeof texts[4], "%d", (int)given.filters);
    snprintf(texts[5], sizeof texts[5], "%d", (int)given.groups);
    const tn_option options[] = {{"kernel", texts[0]},     {"stride", texts[1]},
                                 {"pad", texts[2]},        {"dilate", texts[3]},
                                 {"num_filter", texts[4]}, {"num_group", texts[5]}};
    given.data = filled(6, 4, data);
    given.weight = filled(7, 4, weight);
    given.bias = filled(8, 1, weight);
    tn_tensor *inputs[] = {given.data, given.weight, given.bias};
    tn_tensor *output = run("Convolution", options, 6, inputs, 3);
    snprintf(what, sizeof what, "convolution %d x %d x %d x %d, %d filters %s, %d groups",
             (int)given.samples, (int)given.channels, (int)given.height, (int)given.width,
             (int)given.filters, texts[0], (int)given.groups);
    compare(what, output, convolution_at, &given);
    tn_tensor_release(given.data);
    tn_tensor_release(given.weight);
    tn_tensor_release(given.bias);
    tn_tensor_release(output);
}

Test(half_products, of_convolutions, .init = open_device, .fini = close_device) {
    static const int64_t sizes[][10] = {
        /* samples, channels, height, width, filters, groups; kernel, stride, pad, dilate */
        {2, 16, 7, 7, 16, 1, 3, 1, 1, 1},    {1, 40, 9, 5, 48, 1, 3, 2, 1, 1},
        {3, 64, 6, 6, 32, 1, 1, 1, 0, 1},    {2, 96, 5, 5, 64, 2, 3, 1, 1, 1},
        {1, 32, 11, 13, 80, 1, 3, 1, 2, 2},  {5, 70, 3, 3, 96, 1, 1, 2, 0, 1},
        {4, 32, 57, 57, 144, 1, 1, 1, 0, 1}, {4, 24, 60, 57, 80, 1, 2, 1, 0, 1},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int64_t *s = sizes[i];
        try_convolution((convolution){s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9],
                                      NULL, NULL, NULL});
    }
}
