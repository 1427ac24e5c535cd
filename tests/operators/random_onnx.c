/* Cases of the operators that ONNX alone has, with their older forms, in which lists are
 * attributes. */
#include "random_case.h"

#include <tenon/plugin/helpers.h>

enum { MOST_AXES = 5 };

static int32_t any_axis(random_case *c, const tn_shape *shape) {
    return (int32_t)random_between(c, 0, shape->rank - 1);
}

static void axis_option(random_case *c, const tn_shape *shape, int32_t axis) {
    random_option(c, "axis", "%d", random_coin(c) ? axis : axis - shape->rank);
}

static void make_real(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 5);
    random_input(c, random_float(c), &shape, -4, 4);
}

/* The second operand stretches along some axes of the first. */
static void add_two(random_case *c, tn_dtype dtype, double low, double high) {
    const tn_shape shape = random_shape(c, 1, 5);
    tn_shape other = shape;
    for (int32_t i = 0; i < shape.rank; i++) {
        other.extents[i] = random_coin(c) ? shape.extents[i] : 1;
    }
    random_input(c, dtype, &shape, low, high);
    random_input(c, dtype, &other, low, high);
}

static void make_comparison(random_case *c) {
    add_two(c, random_dtype(c), -3, 3);
}

static void make_logical(random_case *c) {
    add_two(c, TN_BOOL, 0, 1);
}

static void make_power(random_case *c) {
    add_two(c, random_float(c), 0.5, 2);
}

static void make_prelu(random_case *c) {
    add_two(c, random_float(c), -2, 2);
}

static void make_reduction(random_case *c) {
    int64_t axes[MOST_AXES];
    int32_t count = 0;
    const tn_shape shape = random_full_shape(c, 1, 4);
    for (int32_t i = 0; i < shape.rank; i++) {
        if (random_coin(c)) {
            axes[count++] = i;
        }
    }
    if (count > 0) {
        random_ints(c, "axes", axes, count);
    }
    random_flag(c, "keepdims");
    random_input(c, random_float(c), &shape, 0.5, 1.5);
    random_absent(c, 1);
}

static void make_extreme(random_case *c) {
    const tn_shape shape = random_full_shape(c, 1, 5);
    axis_option(c, &shape, any_axis(c, &shape));
    random_flag(c, "keepdims");
    random_flag(c, "select_last_index");
    random_input(c, random_dtype(c), &shape, 0, 5);
}

static void make_softmax(random_case *c) {
    const tn_shape shape = random_full_shape(c, 1, 5);
    axis_option(c, &shape, any_axis(c, &shape));
    random_flag(c, "flatten");
    random_input(c, random_float(c), &shape, -4, 4);
}

static void make_slice(random_case *c) {
    int64_t starts[MOST_AXES], ends[MOST_AXES], steps[MOST_AXES];
    const tn_shape shape = random_shape(c, 1, 5);
    for (int32_t i = 0; i < shape.rank; i++) {
        const int64_t extent = shape.extents[i];
        steps[i] = random_between(c, 1, 3) * (random_coin(c) ? 1 : -1);
        starts[i] = random_between(c, -extent - 1, extent + 1);
        ends[i] = random_between(c, -extent - 1, extent + 1);
    }
    random_ints(c, "starts", starts, shape.rank);
    random_ints(c, "ends", ends, shape.rank);
    random_ints(c, "steps", steps, shape.rank);
    c->is_exact = true;
    random_input(c, random_any_dtype(c), &shape, 0, 100);
    random_absent(c, 4);
}

static void make_split(random_case *c) {
    tn_shape shape = random_shape(c, 1, 5);
    const int32_t axis = any_axis(c, &shape);
    const int64_t parts = random_between(c, 1, 3);
    shape.extents[axis] *= parts;
    random_option(c, "num_outputs", "%lld", (long long)parts);
    axis_option(c, &shape, axis);
    c->is_exact = true;
    random_input(c, random_any_dtype(c), &shape, 0, 100);
    random_absent(c, 1);
}

static void make_pad(random_case *c) {
    static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
    int64_t pads[2 * MOST_AXES];
    const tn_shape shape = random_full_shape(c, 1, 4);
    for (int32_t i = 0; i < 2 * shape.rank; i++) {
        const int64_t extent = shape.extents[i % shape.rank];
        pads[i] = extent > 2 ? random_between(c, -1, extent - 1) : 0;
    }
    random_ints(c, "pads", pads, 2 * shape.rank);
    random_option(c, "mode", "%s", random_word(c, modes, 4));
    c->is_exact = true;
    random_input(c, random_dtype(c), &shape, 0, 100);
    random_absent(c, 3);
}

static void make_blocks(random_case *c) {
    const int64_t block = random_between(c, 1, 3);
    const bool is_depth = c->op[5] == 'D';
    const int64_t extents[] = {random_between(c, 1, 2),
                               random_between(c, 1, 3) * (is_depth ? block * block : 1),
                               random_between(c, 1, 4) * (is_depth ? 1 : block),
                               random_between(c, 1, 4) * (is_depth ? 1 : block)};
    const tn_shape shape = random_shape_of(4, extents);
    random_option(c, "blocksize", "%lld", (long long)block);
    c->is_exact = true;
    random_input(c, random_any_dtype(c), &shape, 0, 100);
}

/* Indices from the back as well. */
static void make_gather(random_case *c) {
    const tn_shape shape = random_full_shape(c, 1, 4), indices = random_shape(c, 0, 2);
    const int32_t axis = any_axis(c, &shape);
    const int64_t extent = shape.extents[axis];
    axis_option(c, &shape, axis);
    c->is_exact = true;
    random_input(c, random_any_dtype(c), &shape, 0, 100);
    random_input(c, random_coin(c) ? TN_I64 : TN_I32, &indices, (double)-extent,
                 (double)(extent - 1));
}

static void make_gather_elements(random_case *c) {
    const tn_shape shape = random_full_shape(c, 1, 4);
    tn_shape indices = shape;
    const int32_t axis = any_axis(c, &shape);
    const int64_t extent = shape.extents[axis];
    indices.extents[axis] = random_between(c, 1, 4);
    axis_option(c, &shape, axis);
    c->is_exact = true;
    random_input(c, random_any_dtype(c), &shape, 0, 100);
    random_input(c, random_coin(c) ? TN_I64 : TN_I32, &indices, (double)-extent,
                 (double)(extent - 1));
}

static void make_gather_nd(random_case *c) {
    const tn_shape shape = random_full_shape(c, 2, 4);
    const int64_t least = shape.extents[0] < shape.extents[1] ? shape.extents[0] : shape.extents[1];
    const int64_t extents[] = {random_between(c, 0, 6), 2};
    const tn_shape points = random_shape_of(2, extents);
    c->is_exact = true;
    random_input(c, random_any_dtype(c), &shape, 0, 100);
    random_input(c, TN_I64, &points, (double)-least, (double)(least - 1));
}

static void make_where(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 4);
    const tn_dtype dtype = random_any_dtype(c);
    tn_shape shapes[3] = {shape, shape, shape};
    for (int32_t i = 0; i < 3 * shape.rank; i++) {
        if (i >= shape.rank && random_coin(c)) {
            shapes[i / shape.rank].extents[i % shape.rank] = 1;
        }
    }
    c->is_exact = true;
    random_input(c, TN_BOOL, &shapes[0], 0, 1);
    random_input(c, dtype, &shapes[1], 0, 100);
    random_input(c, dtype, &shapes[2], 0, 100);
}

static void make_top_k(random_case *c) {
    const tn_shape shape = random_full_shape(c, 1, 4);
    const int32_t axis = any_axis(c, &shape);
    axis_option(c, &shape, axis);
    random_option(c, "k", "%lld", (long long)random_between(c, 1, shape.extents[axis]));
    random_flag(c, "largest");
    c->is_exact = true;
    random_input(c, random_dtype(c), &shape, 0, 9);
    random_absent(c, 1);
}

static void make_matmul(random_case *c) {
    const int64_t rows = random_between(c, 1, 40), terms = random_between(c, 1, 40);
    const int64_t columns = random_between(c, 1, 40), batch = random_between(c, 1, 3);
    const int64_t left[] = {random_coin(c) ? batch : 1, random_between(c, 1, 2), rows, terms};
    const int64_t right[] = {batch, 1, terms, columns};
    const int32_t left_rank = (int32_t)random_between(c, 1, 4);
    const int32_t right_rank = (int32_t)random_between(c, 1, 4);
    const tn_shape lefts = random_shape_of(left_rank, left + 4 - left_rank);
    const tn_shape rights = right_rank == 1 ? random_shape_of(1, &terms)
                                            : random_shape_of(right_rank, right + 4 - right_rank);
    const tn_dtype dtype = random_float(c);
    random_input(c, dtype, &lefts, -1, 1);
    random_input(c, dtype, &rights, -1, 1);
}

/* Two operands, each with a batch, an axis of its own and one that is summed over, in any order. */
static void make_einsum(random_case *c) {
    const int64_t extents[] = {random_between(c, 1, 3), random_between(c, 1, 9),
                               random_between(c, 1, 9), random_between(c, 1, 30)};
    static const char letters[] = "bijk";
    static const char *const lefts[] = {"bik", "kbi", "ikb"}, *const rights[] = {"bjk", "kjb",
                                                                                 "bkj"};
    static const char *const outputs[] = {"bij", "jbi", "ij", "i", ""};
    const tn_dtype dtype = random_float(c);
    const char *const terms[] = {random_word(c, lefts, 3), random_word(c, rights, 3)};
    random_option(c, "equation", "%s,%s->%s", terms[0], terms[1], random_word(c, outputs, 5));
    for (int32_t operand = 0; operand < 2; operand++) {
        int64_t shape[3];
        for (int32_t i = 0; i < 3; i++) {
            shape[i] = extents[strchr(letters, terms[operand][i]) - letters];
        }
        const tn_shape whole = random_shape_of(3, shape);
        random_input(c, dtype, &whole, -1, 1);
    }
}

static void make_gemm(random_case *c) {
    const int64_t rows = random_between(c, 1, 40), terms = random_between(c, 1, 40);
    const int64_t columns = random_between(c, 1, 40);
    const bool turns_left = random_coin(c), turns_right = random_coin(c);
    const int64_t left[] = {turns_left ? terms : rows, turns_left ? rows : terms};
    const int64_t right[] = {turns_right ? columns : terms, turns_right ? terms : columns};
    const int64_t added[] = {random_coin(c) ? rows : 1, random_coin(c) ? columns : 1};
    const tn_shape lefts = random_shape_of(2, left), rights = random_shape_of(2, right);
    const tn_shape addeds = random_shape_of(2, added);
    const tn_dtype dtype = random_float(c);
    random_option(c, "transA", "%s", turns_left ? "True" : "False");
    random_option(c, "transB", "%s", turns_right ? "True" : "False");
    random_option(c, "alpha", "%s", random_coin(c) ? "1" : "0.5");
    random_option(c, "beta", "%s", random_coin(c) ? "1" : "0.25");
    random_input(c, dtype, &lefts, -1, 1);
    random_input(c, dtype, &rights, -1, 1);
    random_input(c, dtype, &addeds, -1, 1);
}

/* Over two spatial axes, with padding that differs at both ends. */
static void add_window(random_case *c, int64_t kernel) {
    const int64_t sizes[] = {kernel, kernel};
    const int64_t pads[] = {random_between(c, 0, kernel - 1), random_between(c, 0, kernel - 1),
                            random_between(c, 0, kernel - 1), random_between(c, 0, kernel - 1)};
    const int64_t strides[] = {random_between(c, 1, 2), random_between(c, 1, 3)};
    const int64_t dilation = kernel > 1 ? random_between(c, 1, 2) : 1;
    const int64_t dilations[] = {dilation, 1};
    random_ints(c, "kernel_shape", sizes, 2);
    random_ints(c, "pads", pads, 4);
    random_ints(c, "strides", strides, 2);
    random_ints(c, "dilations", dilations, 2);
}

static void make_pool(random_case *c) {
    const int64_t extents[] = {random_between(c, 1, 2), random_between(c, 1, 3),
                               random_between(c, 6, 9), random_between(c, 6, 9)};
    const tn_shape shape = random_shape_of(4, extents);
    add_window(c, random_between(c, 1, 3));
    random_flag(c, "ceil_mode");
    random_input(c, random_float(c), &shape, -4, 4);
}

static void make_convolution(random_case *c) {
    const bool is_transposed = c->op[9] == 'T';
    const int64_t kernel = random_between(c, 1, 3), groups = random_between(c, 1, 2);
    const int64_t channels = groups * random_between(c, 1, 8);
    const int64_t filters = groups * random_between(c, 1, 8);
    const int64_t extents[] = {random_between(c, 1, 2), channels, random_between(c, 6, 9),
                               random_between(c, 6, 9)};
    const int64_t weights[] = {is_transposed ? channels : filters,
                               is_transposed ? filters / groups : channels / groups, kernel,
                               kernel};
    const tn_shape shape = random_shape_of(4, extents), weight = random_shape_of(4, weights);
    const tn_shape bias = random_shape_of(1, &filters);
    const tn_dtype dtype = random_float(c);
    add_window(c, kernel);
    random_option(c, "group", "%lld", (long long)groups);
    random_input(c, dtype, &shape, -1, 1);
    random_input(c, dtype, &weight, -1, 1);
    random_input(c, dtype, &bias, -1, 1);
}

/* Scale and bias of the channels. */
static void make_channels(random_case *c) {
    const int64_t extents[] = {random_between(c, 1, 3), 2 * random_between(c, 1, 3),
                               random_between(c, 2, 6), random_between(c, 2, 6)};
    const tn_shape shape = random_shape_of(4, extents);
    const tn_shape channels = random_shape_of(1, extents + 1);
    const tn_dtype dtype = random_float(c);
    if (c->op[5] == 'G') {
        random_option(c, "num_groups", "2");
    }
    random_input(c, dtype, &shape, -4, 4);
    random_input(c, dtype, &channels, 0.5, 1.5);
    random_input(c, dtype, &channels, -1, 1);
}

static void make_batch(random_case *c) {
    make_channels(c);
    const tn_view *scale = tn_tensor_view(c->inputs[1]);
    const tn_shape channels = tn_shape_of(1, scale->shape);
    random_input(c, scale->dtype, &channels, -1, 1);
    random_input(c, scale->dtype, &channels, 0.5, 1.5);
}

static void make_layer(random_case *c) {
    const tn_shape shape = random_full_shape(c, 2, 4);
    const tn_shape row = random_shape_of(1, &shape.extents[shape.rank - 1]);
    random_input(c, TN_F32, &shape, -4, 4);
    random_input(c, TN_F32, &row, 0.5, 1.5);
    random_input(c, TN_F32, &row, -1, 1);
}

static const random_generator generators[] = {
    {"onnx.And", make_logical},
    {"onnx.ArgMax", make_extreme},
    {"onnx.ArgMin", make_extreme},
    {"onnx.AveragePool", make_pool},
    {"onnx.BatchNormalization", make_batch},
    {"onnx.Celu", make_real},
    {"onnx.Conv", make_convolution},
    {"onnx.ConvTranspose", make_convolution},
    {"onnx.DepthToSpace", make_blocks},
    {"onnx.Einsum", make_einsum},
    {"onnx.Elu", make_real},
    {"onnx.Equal", make_comparison},
    {"onnx.Gather", make_gather},
    {"onnx.GatherElements", make_gather_elements},
    {"onnx.GatherND", make_gather_nd},
    {"onnx.Gelu", make_real},
    {"onnx.Gemm", make_gemm},
    {"onnx.Greater", make_comparison},
    {"onnx.GreaterOrEqual", make_comparison},
    {"onnx.GroupNormalization", make_channels},
    {"onnx.HardSigmoid", make_real},
    {"onnx.HardSwish", make_real},
    {"onnx.InstanceNormalization", make_channels},
    {"onnx.LayerNormalization", make_layer},
    {"onnx.LeakyRelu", make_real},
    {"onnx.Less", make_comparison},
    {"onnx.LessOrEqual", make_comparison},
    {"onnx.LogSoftmax", make_softmax},
    {"onnx.LpPool", make_pool},
    {"onnx.MatMul", make_matmul},
    {"onnx.MaxPool", make_pool},
    {"onnx.Mish", make_real},
    {"onnx.Or", make_logical},
    {"onnx.PRelu", make_prelu},
    {"onnx.Pad", make_pad},
    {"onnx.Pow", make_power},
    {"onnx.ReduceL1", make_reduction},
    {"onnx.ReduceL2", make_reduction},
    {"onnx.ReduceLogSum", make_reduction},
    {"onnx.ReduceMax", make_reduction},
    {"onnx.ReduceMean", make_reduction},
    {"onnx.ReduceMin", make_reduction},
    {"onnx.ReduceProd", make_reduction},
    {"onnx.ReduceSum", make_reduction},
    {"onnx.ReduceSumSquare", make_reduction},
    {"onnx.Round", make_real},
    {"onnx.Selu", make_real},
    {"onnx.Shrink", make_real},
    {"onnx.Sign", make_real},
    {"onnx.Slice", make_slice},
    {"onnx.Softmax", make_softmax},
    {"onnx.Sign", make_real},
    {"onnx.Softplus", make_real},
    {"onnx.SpaceToDepth", make_blocks},
    {"onnx.Split", make_split},
    {"onnx.Swish", make_real},
    {"onnx.ThresholdedRelu", make_real},
    {"onnx.TopK", make_top_k},
    {"onnx.Where", make_where},
    {"onnx.Xor", make_logical},
};

RANDOM_FAMILY(random_onnx, generators);
