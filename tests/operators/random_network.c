/* Cases of the layers of networks. */
#include <string.h>

#include "random_case.h"

enum { MOST_SPATIAL = 3 };

static void add(random_case *c, tn_dtype dtype, int32_t rank, const int64_t *extents, double low,
                double high) {
    const tn_shape shape = random_shape_of(rank, extents);
    random_input(c, dtype, &shape, low, high);
}

/* ---- Matrix products ---- */

static void make_fully_connected(random_case *c) {
    const tn_dtype dtype = random_float(c);
    const tn_shape data = random_full_shape(c, 2, 4);
    const bool is_flat = random_coin(c), has_bias = random_coin(c);
    int64_t features = data.extents[data.rank - 1];
    for (int32_t i = 1; is_flat && i < data.rank - 1; i++) {
        features *= data.extents[i];
    }
    const int64_t weight[] = {random_between(c, 1, 70), features};
    random_option(c, "num_hidden", "%lld", (long long)weight[0]);
    random_option(c, "no_bias", has_bias ? "False" : "True");
    random_option(c, "flatten", is_flat ? "True" : "False");
    random_input(c, dtype, &data, -1, 1);
    add(c, dtype, 2, weight, -1, 1);
    if (has_bias) {
        add(c, dtype, 1, weight, -1, 1);
    }
}

/* Matrices that fit each other, each perhaps lying on its side. */
static void make_product(random_case *c) {
    const tn_dtype dtype = random_float(c);
    const bool is_batch = c->op[0] == 'b', turn_a = random_coin(c), turn_b = random_coin(c);
    const int64_t batch = random_between(c, 1, 5), m = random_between(c, 1, 70);
    const int64_t n = random_between(c, 1, 70), k = random_between(c, 1, 90);
    const int64_t left[] = {batch, turn_a ? k : m, turn_a ? m : k};
    const int64_t right[] = {batch, turn_b ? n : k, turn_b ? k : n};
    random_option(c, "transpose_a", turn_a ? "True" : "False");
    random_option(c, "transpose_b", turn_b ? "True" : "False");
    add(c, dtype, is_batch ? 3 : 2, is_batch ? left : left + 1, -1, 1);
    add(c, dtype, is_batch ? 3 : 2, is_batch ? right : right + 1, -1, 1);
}

/* ---- Windows ---- */

typedef struct window {
    int32_t rank; /* of the space */
    int64_t extents[MOST_SPATIAL], kernel[MOST_SPATIAL], stride[MOST_SPATIAL];
    int64_t dilate[MOST_SPATIAL], pad[MOST_SPATIAL];
} window;

static window any_window(random_case *c, int32_t least_rank, int32_t most_rank, bool dilates) {
    static const int64_t most[] = {1, 60, 18, 7};
    window w = {.rank = (int32_t)random_between(c, least_rank, most_rank)};
    for (int32_t i = 0; i < w.rank; i++) {
        w.kernel[i] = random_between(c, 1, 4);
        w.stride[i] = random_between(c, 1, 3);
        w.dilate[i] = dilates ? random_between(c, 1, 2) : 1;
        w.pad[i] = random_between(c, 0, w.kernel[i] / 2);
        const int64_t span = (w.kernel[i] - 1) * w.dilate[i] + 1;
        w.extents[i] = random_between(c, span, span + most[w.rank]);
    }
    random_ints(c, "kernel", w.kernel, w.rank);
    random_ints(c, "stride", w.stride, w.rank);
    random_ints(c, "pad", w.pad, w.rank);
    if (dilates) {
        random_ints(c, "dilate", w.dilate, w.rank);
    }
    return w;
}

/* {batch, channels, …} */
static tn_shape data_shape(random_case *c, const window *w, int64_t channels) {
    tn_shape shape = {.rank = w->rank + 2, .extents = {random_between(c, 1, 3), channels}};
    memcpy(shape.extents + 2, w->extents, (size_t)w->rank * sizeof *w->extents);
    return shape;
}

static void make_convolution(random_case *c) {
    const bool is_back = c->op[0] == 'D', has_bias = random_coin(c);
    const tn_dtype dtype = random_float(c);
    const window w = any_window(c, is_back ? 2 : 1, is_back ? 2 : 3, !is_back);
    const int64_t groups = random_between(c, 1, 3);
    const int64_t channels = groups * random_between(c, 1, 6);
    const int64_t filters = groups * random_between(c, 1, 6);
    const tn_shape data = data_shape(c, &w, channels);
    tn_shape weight = {.rank = w.rank + 2};
    weight.extents[0] = is_back ? channels : filters;
    weight.extents[1] = (is_back ? filters : channels) / groups;
    memcpy(weight.extents + 2, w.kernel, sizeof w.kernel);
    random_option(c, "num_filter", "%lld", (long long)filters);
    random_option(c, "num_group", "%lld", (long long)groups);
    random_option(c, "no_bias", has_bias ? "False" : "True");
    random_input(c, dtype, &data, -1, 1);
    random_input(c, dtype, &weight, -1, 1);
    if (has_bias) {
        add(c, dtype, 1, &filters, -1, 1);
    }
}

static void make_fused_convolution(random_case *c) {
    static const char *const activations[] = {"none", "relu", "leaky", "sigmoid", "softrelu",
                                              "tanh", "elu",  "clip",  "swish"};
    make_convolution(c);
    random_option(c, "activation", "%s", random_word(c, activations, 9));
    random_option(c, "alpha", "0.125");
    random_option(c, "beta", "0.75");
}

static void make_pooling(random_case *c) {
    static const char *const types[] = {"max", "avg", "sum"};
    const window w = any_window(c, 1, 3, false);
    const tn_shape data = data_shape(c, &w, random_between(c, 1, 5));
    random_option(c, "pool_type", "%s", random_word(c, types, 3));
    random_option(c, "pooling_convention", random_coin(c) ? "valid" : "full");
    random_option(c, "global_pool", random_between(c, 0, 4) == 0 ? "True" : "False");
    random_input(c, random_float(c), &data, -1, 1);
}

static void make_adaptive_pooling(random_case *c) {
    const tn_shape data = random_full_shape(c, 4, 4);
    const int64_t size[] = {random_between(c, 1, 5), random_between(c, 1, 5)};
    random_ints(c, "output_size", size, 2);
    random_input(c, random_float(c), &data, -1, 1);
}

static void make_resize(random_case *c) {
    const tn_shape data = random_full_shape(c, 4, 4);
    random_option(c, "height", "%lld", (long long)random_between(c, 1, 20));
    random_option(c, "width", "%lld", (long long)random_between(c, 1, 20));
    random_flag(c, "align_corners");
    random_input(c, random_float(c), &data, -1, 1);
}

/* ---- Normalisation ---- */

static void make_batch_norm(random_case *c) {
    const tn_shape data = random_full_shape(c, 2, 5);
    const tn_dtype dtype = random_float(c);
    const int64_t channels = data.extents[1];
    random_flag(c, "fix_gamma");
    random_input(c, dtype, &data, -2, 2);
    for (int i = 0; i < 4; i++) { /* gamma, beta, mean, variance: of float32 */
        add(c, TN_F32, 1, &channels, i == 3 ? 0.2 : -1, i == 3 ? 2 : 1);
    }
}

static void make_layer_norm(random_case *c) {
    const tn_dtype dtype = random_float(c);
    tn_shape data = random_full_shape(c, 2, 4);
    const int32_t axis = (int32_t)random_between(c, 0, data.rank - 1);
    data.extents[axis] += 3; /* the variance of one element is 0, and rounding is all there is */
    random_option(c, "axis", "%d", axis);
    random_option(c, "eps", "0.001");
    random_input(c, dtype, &data, -2, 2);
    add(c, dtype, 1, &data.extents[axis], -1, 1);
    add(c, dtype, 1, &data.extents[axis], -1, 1);
}

static void make_group_norm(random_case *c) {
    const tn_dtype dtype = random_float(c);
    const int64_t groups = random_between(c, 1, 4);
    const bool is_instance = c->op[0] == 'I';
    tn_shape data = random_full_shape(c, 3, 4);
    data.extents[1] = groups * random_between(c, 1, 4);
    data.extents[2] += 3;
    if (!is_instance) {
        random_option(c, "num_groups", "%lld", (long long)groups);
    }
    random_option(c, "eps", "0.001");
    random_input(c, dtype, &data, -2, 2);
    add(c, dtype, 1, is_instance ? &data.extents[1] : &groups, -1, 1);
    add(c, dtype, 1, is_instance ? &data.extents[1] : &groups, -1, 1);
}

static void make_l2_normalization(random_case *c) {
    static const char *const modes[] = {"channel", "instance", "spatial"};
    const tn_shape data = random_full_shape(c, 3, 4);
    random_option(c, "mode", "%s", random_word(c, modes, 3));
    random_input(c, random_float(c), &data, 0.1, 2);
}

static void make_local_norm(random_case *c) {
    const tn_shape data = random_full_shape(c, 4, 4);
    random_option(c, "nsize", "%lld", (long long)(2 * random_between(c, 0, 2) + 1));
    random_option(c, "alpha", "%.4f", random_uniform(c, 0.0001, 0.1));
    random_input(c, random_float(c), &data, -2, 2);
}

/* ---- The rest ---- */

static void make_leaky(random_case *c) {
    static const char *const types[] = {"leaky", "elu", "gelu", "prelu", "selu"};
    const tn_dtype dtype = random_float(c);
    const tn_shape data = random_full_shape(c, 2, 4);
    const char *type = random_word(c, types, 5);
    random_option(c, "act_type", "%s", type);
    random_option(c, "slope", "%.3f", random_uniform(c, 0.01, 0.5));
    random_input(c, dtype, &data, -4, 4);
    if (strcmp(type, "prelu") == 0) {
        add(c, dtype, 1, &data.extents[1], 0, 0.5);
    }
}

static void make_alone(random_case *c) {
    const tn_shape data = random_full_shape(c, 2, 4);
    random_input(c, random_float(c), &data, -4, 4);
}

static void make_softmax_activation(random_case *c) {
    const bool is_by_channel = random_coin(c);
    const tn_shape data = random_full_shape(c, is_by_channel ? 3 : 2, 4);
    random_option(c, "mode", is_by_channel ? "channel" : "instance");
    random_input(c, random_float(c), &data, -4, 4);
}

/* The label plays no part; it is there as a model has it. */
static void make_regression(random_case *c) {
    const tn_dtype dtype = random_float(c);
    const tn_shape data = random_full_shape(c, 2, 3);
    random_input(c, dtype, &data, -4, 4);
    random_input(c, dtype, &data, 0, 1);
}

static void make_classes(random_case *c) {
    const tn_dtype dtype = random_float(c);
    const tn_shape data = random_full_shape(c, 2, 2);
    random_input(c, dtype, &data, -4, 4);
    add(c, dtype, 1, data.extents, 0, (double)data.extents[1] - 1);
}

static void make_ctc(random_case *c) {
    const int64_t steps = random_between(c, 1, 6), batch = random_between(c, 1, 4);
    const int64_t data[] = {steps * batch, random_between(c, 2, 9)};
    const int64_t labels = 2 * batch;
    random_option(c, "label_length", "2");
    random_option(c, "input_length", "%lld", (long long)steps);
    add(c, TN_F32, 2, data, -4, 4);
    add(c, TN_F32, 1, &labels, 0, 1);
}

static void make_recurrent(random_case *c) {
    static const char *const modes[] = {"rnn_relu", "rnn_tanh", "gru", "lstm"};
    static const int64_t gates[] = {1, 1, 3, 4};
    const int64_t mode = random_between(c, 0, 3), size = random_between(c, 1, 12);
    const int64_t layers = random_between(c, 1, 2), directions = random_between(c, 1, 2);
    const int64_t data[] = {random_between(c, 1, 6), random_between(c, 1, 4),
                            random_between(c, 1, 9)};
    int64_t parameters = 0;
    for (int64_t layer = 0; layer < layers; layer++) {
        const int64_t inputs = layer == 0 ? data[2] : size * directions;
        parameters += directions * gates[mode] * size * (inputs + size + 2);
    }
    const int64_t state[] = {layers * directions, data[1], size};
    random_option(c, "mode", "%s", modes[mode]);
    random_option(c, "state_size", "%lld", (long long)size);
    random_option(c, "num_layers", "%lld", (long long)layers);
    random_option(c, "bidirectional", directions == 2 ? "True" : "False");
    random_flag(c, "state_outputs");
    add(c, TN_F32, 3, data, -1, 1);
    add(c, TN_F32, 1, &parameters, -0.5, 0.5);
    add(c, TN_F32, 3, state, -1, 1);
    if (mode == 3) {
        add(c, TN_F32, 3, state, -1, 1);
    }
}

static const random_generator generators[] = {
    {"FullyConnected", make_fully_connected},
    {"dot", make_product},
    {"batch_dot", make_product},
    {"Convolution", make_convolution},
    {"Convolution_v1", make_convolution},
    {"fused_convolution", make_fused_convolution},
    {"Deconvolution", make_convolution},
    {"Pooling", make_pooling},
    {"Pooling_v1", make_pooling},
    {"_contrib_AdaptiveAvgPooling2D", make_adaptive_pooling},
    {"_contrib_BilinearResize2D", make_resize},
    {"BatchNorm", make_batch_norm},
    {"BatchNorm_v1", make_batch_norm},
    {"LayerNorm", make_layer_norm},
    {"GroupNorm", make_group_norm},
    {"InstanceNorm", make_group_norm},
    {"L2Normalization", make_l2_normalization},
    {"LRN", make_local_norm},
    {"LeakyReLU", make_leaky},
    {"Dropout", make_alone},
    {"SoftmaxActivation", make_softmax_activation},
    {"SoftmaxOutput", make_classes},
    {"SVMOutput", make_classes},
    {"LinearRegressionOutput", make_regression},
    {"LogisticRegressionOutput", make_regression},
    {"MAERegressionOutput", make_regression},
    {"WarpCTC", make_ctc},
    {"RNN", make_recurrent},
};

RANDOM_FAMILY(random_network, generators);
