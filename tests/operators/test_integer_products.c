/* Convolutions, matrix products and poolings of 8-bit integers in random shapes, with extremes,
 * against sums in plain loops: every bit must agree. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "common/arrays.h"
#include "common/single_node.h"

static tn_runtime *runtime;
static tn_device *device;
static uint64_t random_state;

static void set_up(void) {
    runtime = test_runtime();
    cr_assert(runtime != NULL);
    cr_assert_eq(tn_device_open(runtime, "cpu", &device), TN_OK);
    random_state = 1;
}

static void tear_down(void) {
    tn_device_close(device);
    tn_runtime_destroy(runtime);
}

TestSuite(integer_products, .init = set_up, .fini = tear_down, .timeout = 300);

static int64_t between(int64_t least, int64_t most) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return least + (int64_t)((random_state >> 33) % (uint64_t)(most - least + 1));
}

static tn_dtype any_byte(void) {
    return between(0, 1) ? TN_I8 : TN_U8;
}

/* Half of the elements are the ends of the dtype, whose sums a kernel may saturate. */
static tn_tensor *bytes(tn_dtype dtype, int32_t rank, const int64_t *extents) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, dtype, rank, extents, &tensor), TN_OK);
    const int64_t lowest = dtype == TN_I8 ? -128 : 0;
    for (int64_t i = 0; i < tn_element_count(tn_tensor_view(tensor)); i++) {
        const int64_t end = between(0, 3);
        test_set_element(tn_tensor_view(tensor), i,
                         (double)(lowest + (end == 0   ? 0
                                            : end == 1 ? 255
                                                       : between(0, 255))));
    }
    return tensor;
}

static tn_tensor *scales(int64_t count) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_F32, 1, &count, &tensor), TN_OK);
    for (int64_t i = 0; i < count; i++) {
        test_set_element(tn_tensor_view(tensor), i, (double)between(1, 1000) / 8192);
    }
    return tensor;
}

static tn_tensor *biases(int64_t count) {
    tn_tensor *tensor;
    cr_assert_eq(tn_tensor_create(runtime, TN_I32, 1, &count, &tensor), TN_OK);
    for (int64_t i = 0; i < count; i++) {
        test_set_element(tn_tensor_view(tensor), i, (double)between(-100000, 100000));
    }
    return tensor;
}

/* Element `index`, or the only one there is; 0 of an absent tensor. */
static double element_of(const tn_tensor *tensor, int64_t index) {
    if (tensor == NULL) {
        return 0;
    }
    const tn_view *view = tn_tensor_view(tensor);
    return test_element(view, tn_element_count(view) == 1 ? 0 : index);
}

static double requantised(int64_t sum, float multiplier, tn_dtype dtype, double zero_point) {
    const double lowest = dtype == TN_I8 ? -128 : 0;
    const double value = (double)nearbyintf((float)(int32_t)sum * multiplier) + zero_point;
    return value < lowest ? lowest : value > lowest + 255 ? lowest + 255 : value;
}

/* The inputs of a node by what they are; `scaled` says whether it is of the family QLinear…. */
typedef struct operands {
    bool is_scaled;
    tn_tensor *left, *left_scale, *left_zero, *right, *right_scale, *right_zero, *scale, *zero,
        *bias;
} operands;

static void make_scaled(operands *made, int64_t outputs) {
    const int64_t single = 1;
    made->left_scale = scales(1);
    made->right_scale = scales(between(0, 1) ? outputs : 1);
    made->scale = scales(1);
    made->zero = bytes(any_byte(), 1, &single);
    made->bias = between(0, 1) ? biases(outputs) : NULL;
}

static void release(operands *made, tn_tensor *result) {
    tn_tensor *all[] = {
        made->left,       made->left_scale, made->left_zero, made->right, made->right_scale,
        made->right_zero, made->scale,      made->zero,      made->bias,  result};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        tn_tensor_release(all[i]);
    }
}

/* Runs the node; its weights and all parameters are constants in half of the cases. */
static tn_tensor *run(const char *op, const operands *made, uint32_t count,
                      const tn_option *options, uint32_t option_count) {
    tn_tensor *plain[] = {made->left, made->right, made->left_zero, made->right_zero};
    tn_tensor *scaled[] = {made->left,  made->left_scale,  made->left_zero,
                           made->right, made->right_scale, made->right_zero,
                           made->scale, made->zero,        made->bias};
    tn_tensor *result = NULL;
    const uint64_t constants = between(0, 1) ? ~(uint64_t)1 : 0;
    cr_assert_eq(test_run_node(runtime, device, op, options, option_count,
                               made->is_scaled ? scaled : plain, count,
                               constants & (((uint64_t)1 << count) - 1), &result, 1, NULL),
                 TN_OK, "%s: %s", op, tn_error_message());
    return result;
}

static void expect_element(const operands *made, const tn_tensor *result, int64_t index,
                           int64_t output, int64_t sum, const char *what) {
    const tn_view *view = tn_tensor_view(result);
    double expected = (double)(int32_t)sum;
    if (made->is_scaled) {
        const float multiplier = (float)element_of(made->left_scale, 0) *
                                 (float)element_of(made->right_scale, output) /
                                 (float)element_of(made->scale, 0);
        expected = requantised(sum + (int64_t)element_of(made->bias, output), multiplier,
                               view->dtype, element_of(made->zero, 0));
    }
    cr_assert_eq(test_element(view, index), expected, "%s: element %" PRId64 " is %g, expected %g",
                 what, index, test_element(view, index), expected);
}

/* What a convolution is of. The window has two axes. */
typedef struct convolution {
    int64_t images, groups, channels, filters; /* of a group */
    int64_t extents[2], kernel[2], strides[2], dilations[2], pads[4], places[2];
} convolution;

static convolution any_convolution(void) {
    const bool is_depthwise = between(0, 2) == 0;
    convolution c = {.images = between(1, 2),
                     .groups = is_depthwise ? between(1, 9) : between(1, 3),
                     .channels = is_depthwise ? 1 : between(1, 40),
                     .filters = is_depthwise ? between(1, 2) : between(1, 40)};
    const bool is_single = between(0, 2) == 0;
    for (int i = 0; i < 2; i++) {
        c.kernel[i] = is_single ? 1 : between(1, 4);
        c.strides[i] = is_single ? 1 : between(1, 3);
        c.dilations[i] = between(1, 2);
        c.pads[i] = is_single ? 0 : between(0, 2);
        c.pads[2 + i] = is_single ? 0 : between(0, 2);
        const int64_t reach = (c.kernel[i] - 1) * c.dilations[i] + 1;
        c.extents[i] = reach + between(0, 40);
        c.places[i] = (c.extents[i] + c.pads[i] + c.pads[2 + i] - reach) / c.strides[i] + 1;
    }
    return c;
}

static int64_t convolution_sum(const convolution *c, const operands *made, int64_t image,
                               int64_t filter, const int64_t *place) {
    const int64_t group = filter / c->filters;
    int64_t sum = 0;
    for (int64_t channel = 0; channel < c->channels; channel++) {
        for (int64_t i = 0; i < c->kernel[0] * c->kernel[1]; i++) {
            const int64_t y =
                place[0] * c->strides[0] - c->pads[0] + i / c->kernel[1] * c->dilations[0];
            const int64_t x =
                place[1] * c->strides[1] - c->pads[1] + i % c->kernel[1] * c->dilations[1];
            if (y < 0 || y >= c->extents[0] || x < 0 || x >= c->extents[1]) {
                continue;
            }
            const int64_t plane = image * c->groups * c->channels + group * c->channels + channel;
            const double value =
                element_of(made->left, (plane * c->extents[0] + y) * c->extents[1] + x) -
                element_of(made->left_zero, 0);
            const double weight =
                element_of(made->right,
                           (filter * c->channels + channel) * c->kernel[0] * c->kernel[1] + i) -
                element_of(made->right_zero, filter);
            sum += (int64_t)(value * weight);
        }
    }
    return sum;
}

static void expect_convolution(const convolution *c, const operands *made,
                               const tn_tensor *result) {
    const int64_t filters = c->groups * c->filters, places = c->places[0] * c->places[1];
    char what[200];
    snprintf(what, sizeof what,
             "%" PRId64 " groups of %" PRId64 " x %" PRId64 ", data %" PRId64 " x %" PRId64
             ", kernel %" PRId64 " x %" PRId64,
             c->groups, c->filters, c->channels, c->extents[0], c->extents[1], c->kernel[0],
             c->kernel[1]);
    for (int64_t i = 0; i < c->images * filters * places; i += between(1, 7)) {
        const int64_t place[] = {i % places / c->places[1], i % c->places[1]};
        const int64_t filter = i / places % filters;
        expect_element(made, result, i, filter,
                       convolution_sum(c, made, i / places / filters, filter, place), what);
    }
}

static void convolve(bool is_scaled) {
    const convolution c = any_convolution();
    const int64_t single = 1, filters = c.groups * c.filters;
    const int64_t data[] = {c.images, c.groups * c.channels, c.extents[0], c.extents[1]};
    const int64_t weight[] = {filters, c.channels, c.kernel[0], c.kernel[1]};
    operands made = {.is_scaled = is_scaled,
                     .left = bytes(any_byte(), 4, data),
                     .right = bytes(any_byte(), 4, weight)};
    made.left_zero = bytes(tn_tensor_view(made.left)->dtype, 1, &single);
    made.right_zero =
        bytes(tn_tensor_view(made.right)->dtype, 1, between(0, 1) ? &filters : &single);
    if (between(0, 1)) { /* in the middle, as weights' mostly are */
        const tn_view *zero = tn_tensor_view(made.right_zero);
        for (int64_t i = 0; i < tn_element_count(zero); i++) {
            test_set_element(zero, i, zero->dtype == TN_U8 ? 128 : 0);
        }
    }
    if (is_scaled) {
        make_scaled(&made, filters);
    }
    char texts[5][80];
    snprintf(texts[0], sizeof texts[0], "(%" PRId64 ",%" PRId64 ")", c.strides[0], c.strides[1]);
    snprintf(texts[1], sizeof texts[1], "(%" PRId64 ",%" PRId64 ")", c.dilations[0],
             c.dilations[1]);
    snprintf(texts[2], sizeof texts[2], "(%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ")",
             c.pads[0], c.pads[1], c.pads[2], c.pads[3]);
    snprintf(texts[3], sizeof texts[3], "%" PRId64, c.groups);
    const tn_option options[] = {
        {"strides", texts[0]}, {"dilations", texts[1]}, {"pads", texts[2]}, {"group", texts[3]}};
    tn_tensor *result = run(is_scaled ? "onnx.QLinearConv" : "onnx.ConvInteger", &made,
                            is_scaled ? 9 : 4, options, 4);
    expect_convolution(&c, &made, result);
    release(&made, result);
}

Test(integer_products, convolutions) {
    for (int i = 0; i < 150; i++) {
        convolve(false);
    }
}

Test(integer_products, scaled_convolutions) {
    for (int i = 0; i < 150; i++) {
        convolve(true);
    }
}

static void multiply(bool is_scaled) {
    const int64_t single = 1, batch = between(1, 3), m = between(1, 40), n = between(1, 70),
                  k = between(1, 90);
    const bool has_one_right = between(0, 1);
    const int64_t left[] = {batch, m, k};
    const int64_t right[] = {has_one_right ? 1 : batch, k, n};
    operands made = {.is_scaled = is_scaled,
                     .left = bytes(any_byte(), 3, left),
                     .right = has_one_right ? bytes(any_byte(), 2, right + 1)
                                            : bytes(any_byte(), 3, right)};
    made.left_zero = bytes(tn_tensor_view(made.left)->dtype, 1, between(0, 1) ? &m : &single);
    made.right_zero = bytes(tn_tensor_view(made.right)->dtype, 1, between(0, 1) ? &n : &single);
    if (is_scaled) {
        make_scaled(&made, n);
        tn_tensor_release(made.bias);
        made.bias = NULL;
    }
    tn_tensor *result = run(is_scaled ? "onnx.QLinearMatMul" : "onnx.MatMulInteger", &made,
                            is_scaled ? 8 : 4, NULL, 0);
    char what[100];
    snprintf(what, sizeof what, "%" PRId64 " x %" PRId64 " x %" PRId64, m, n, k);
    for (int64_t i = 0; i < batch * m * n; i++) {
        const int64_t row = i / n, column = i % n, matrix = has_one_right ? 0 : row / m;
        int64_t sum = 0;
        for (int64_t j = 0; j < k; j++) {
            sum += (int64_t)((element_of(made.left, row * k + j) -
                              element_of(made.left_zero, row % m)) *
                             (element_of(made.right, (matrix * k + j) * n + column) -
                              element_of(made.right_zero, column)));
        }
        expect_element(&made, result, i, column, sum, what);
    }
    release(&made, result);
}

Test(integer_products, matrices) {
    for (int i = 0; i < 60; i++) {
        multiply(false);
    }
}

Test(integer_products, scaled_matrices) {
    for (int i = 0; i < 60; i++) {
        multiply(true);
    }
}

/* The largest element under a window, whose padding counts as nothing. */
static void pool(void) {
    int64_t extents[4] = {between(1, 2), between(1, 3), between(1, 30), between(1, 60)};
    int64_t kernel[2], strides[2], pads[2], places[2];
    for (int i = 0; i < 2; i++) {
        kernel[i] = between(1, extents[2 + i] < 5 ? extents[2 + i] : 5);
        strides[i] = between(1, 3);
        pads[i] = between(0, kernel[i] - 1);
        places[i] = (extents[2 + i] + 2 * pads[i] - kernel[i]) / strides[i] + 1;
    }
    char texts[3][60];
    snprintf(texts[0], sizeof texts[0], "(%" PRId64 ",%" PRId64 ")", kernel[0], kernel[1]);
    snprintf(texts[1], sizeof texts[1], "(%" PRId64 ",%" PRId64 ")", strides[0], strides[1]);
    snprintf(texts[2], sizeof texts[2], "(%" PRId64 ",%" PRId64 ")", pads[0], pads[1]);
    const tn_option options[] = {{"kernel", texts[0]}, {"stride", texts[1]}, {"pad", texts[2]}};
    tn_tensor *data = bytes(any_byte(), 4, extents), *result = NULL;
    cr_assert_eq(
        test_run_node(runtime, device, "Pooling", options, 3, &data, 1, 0, &result, 1, NULL), TN_OK,
        "%s", tn_error_message());
    const tn_view *view = tn_tensor_view(result);
    for (int64_t i = 0; i < tn_element_count(view); i++) {
        const int64_t y = i / places[1] % places[0] * strides[0] - pads[0];
        const int64_t x = i % places[1] * strides[1] - pads[1];
        const int64_t plane = i / places[1] / places[0] * extents[2] * extents[3];
        double largest = tn_tensor_view(data)->dtype == TN_I8 ? -128 : 0;
        for (int64_t at = 0; at < kernel[0] * kernel[1]; at++) {
            const int64_t row = y + at / kernel[1], column = x + at % kernel[1];
            if (row >= 0 && row < extents[2] && column >= 0 && column < extents[3]) {
                largest = fmax(largest, element_of(data, plane + row * extents[3] + column));
            }
        }
        cr_assert_eq(test_element(view, i), largest,
                     "kernel %s, stride %s, pad %s: element "
                     "%" PRId64 " is %g, expected %g",
                     texts[0], texts[1], texts[2], i, test_element(view, i), largest);
    }
    tn_tensor_release(data);
    tn_tensor_release(result);
}

Test(integer_products, largest_elements) {
    for (int i = 0; i < 300; i++) {
        pool();
    }
}
