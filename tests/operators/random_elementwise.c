/* Cases of operators that compute each element by itself. */
#include <string.h>

#include "random_case.h"

/* ---- One input ---- */

typedef struct domain {
    const char *op;
    double low, high;
} domain;

/* Where the function is defined; for others -8 to 8. */
static const domain domains[] = {
    {"arccos", -1, 1},     {"arccosh", 1, 40},  {"arcsin", -1, 1},    {"arctanh", -0.99, 0.99},
    {"erfinv", -0.99, 1},  {"gamma", 0.1, 7},   {"gammaln", 0.1, 30}, {"log", 0.001, 90},
    {"log10", 0.001, 90},  {"log1p", -0.9, 90}, {"log2", 0.001, 90},  {"rcbrt", 0.1, 90},
    {"reciprocal", 1, 90}, {"rsqrt", 0.1, 90},  {"sqrt", 0, 90},      {"tan", -1.4, 1.4},
};

static domain domain_of(const char *op) {
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++) {
        if (strcmp(domains[i].op, op) == 0) {
            return domains[i];
        }
    }
    return (domain){op, -8, 8};
}

static void make_unary(random_case *c) {
    const domain from = domain_of(c->op);
    const tn_shape shape = random_shape(c, 1, 5);
    random_input(c, random_float(c), &shape, from.low, from.high);
}

/* Also for whole numbers. */
static void make_unary_any(random_case *c) {
    const tn_dtype dtype = random_dtype(c);
    const tn_shape shape = random_shape(c, 1, 5);
    random_input(c, dtype, &shape, dtype == TN_U8 ? 0 : -50, 50);
}

static void make_clip(random_case *c) {
    const tn_dtype dtype = random_dtype(c);
    const tn_shape shape = random_shape(c, 1, 4);
    const int64_t low = random_between(c, 0, 20);
    random_option(c, "a_min", "%lld", (long long)low);
    random_option(c, "a_max", "%lld", (long long)random_between(c, low, 50));
    random_input(c, dtype, &shape, 0, 60);
}

static void make_smooth_l1(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 4);
    random_option(c, "scalar", "%.3f", random_uniform(c, 0.5, 3));
    random_input(c, random_float(c), &shape, -4, 4);
}

static void make_hard_sigmoid(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 4);
    random_option(c, "alpha", "%.3f", random_uniform(c, 0.1, 0.5));
    random_option(c, "beta", "%.3f", random_uniform(c, 0.1, 0.9));
    random_input(c, random_float(c), &shape, -4, 4);
}

static void make_activation(random_case *c) {
    static const char *const types[] = {"relu", "sigmoid", "softrelu", "softsign", "tanh"};
    const tn_shape shape = random_shape(c, 2, 4);
    random_option(c, "act_type", "%s", random_word(c, types, 5));
    random_input(c, random_float(c), &shape, -8, 8);
}

static void make_cast(random_case *c) {
    static const char *const types[] = {"float32", "float16", "bfloat16", "int8",
                                        "uint8",   "int32",   "int64"};
    const tn_dtype dtype = random_coin(c) ? random_dtype(c) : TN_BF16;
    const tn_shape shape = random_shape(c, 1, 4);
    random_option(c, "dtype", "%s", c->is_plain ? "float32" : random_word(c, types, 7));
    random_input(c, dtype, &shape, 0, 100);
}

static void make_amp_cast(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 4);
    random_option(c, "dtype", "%s", random_coin(c) ? "float32" : "float16");
    random_input(c, random_float(c), &shape, -100, 100);
}

/* ---- Two inputs, or an input and a number ---- */

static bool is_power(const char *op) {
    return strstr(op, "power") != NULL;
}

/* Whole numbers are small enough for products in 8 bits, and divisors are not 0. */
static void two_inputs(random_case *c, const tn_shape *left, const tn_shape *right) {
    const tn_dtype dtype = is_power(c->op) ? random_float(c) : random_dtype(c);
    if (is_power(c->op)) {
        random_input(c, dtype, left, 0.2, 3);
        random_input(c, dtype, right, -2, 3);
        return;
    }
    random_input(c, dtype, left, 0, 11);
    random_input(c, dtype, right, 1, 11);
}

static void make_binary(random_case *c) {
    const tn_shape shape = random_shape(c, 1, 5);
    two_inputs(c, &shape, &shape);
}

static void make_broadcast(random_case *c) {
    tn_shape left = random_shape(c, 1, 5), right = left;
    for (int32_t i = 0; i < left.rank; i++) {
        const int64_t which = random_between(c, 0, 3);
        left.extents[i] = which == 1 ? 1 : left.extents[i];
        right.extents[i] = which == 2 ? 1 : right.extents[i];
    }
    two_inputs(c, &left, &right);
}

static void make_scalar(random_case *c) {
    const tn_dtype dtype = is_power(c->op) ? random_float(c) : random_dtype(c);
    const tn_shape shape = random_shape(c, 1, 4);
    random_option(c, "scalar", "%lld", (long long)random_between(c, 1, is_power(c->op) ? 3 : 9));
    random_input(c, dtype, &shape, 1, is_power(c->op) ? 3 : 12);
}

/* ---- More inputs ---- */

static void make_sum_of_many(random_case *c) {
    const tn_dtype dtype = random_float(c);
    const tn_shape shape = random_shape(c, 1, 4);
    const int64_t count = random_between(c, 1, 9);
    for (int64_t i = 0; i < count; i++) {
        random_input(c, dtype, &shape, -3, 3);
    }
}

/* A whole input and one that is stretched along the axes in front, behind, or both. */
static void make_fused(random_case *c) {
    static const char *const programs[] = {
        "add(%0,%1) relu(%2) multiply(%3,$0)",
        "multiply(%0,%0) subtract($1,%2) tanh(%3) maximum(%4,%1) square(%5)",
        "clip(%1,$0,$1) sigmoid(%0) multiply(%2,%3) softsign(%4)",
        "divide(%1,$1) exp(%2) sin(%0) add(%3,%4) cbrt(%5) hypot(%6,%1)",
    };
    const tn_dtype dtype = random_float(c);
    const tn_shape shape = random_full_shape(c, 1, 5);
    tn_shape stretched = shape;
    const int64_t first = random_between(c, 0, shape.rank - 1);
    const int64_t last = random_between(c, first, shape.rank - 1);
    for (int32_t i = 0; i < shape.rank; i++) {
        stretched.extents[i] = i < first || i > last ? 1 : shape.extents[i];
    }
    random_option(c, "program", "%s", random_word(c, programs, 4));
    random_option(c, "numbers", "(%.3f,%.3f)", random_uniform(c, -1, 1), random_uniform(c, 1, 3));
    random_input(c, dtype, &shape, -3, 3);
    random_input(c, dtype, &stretched, -3, 3);
}

static void make_where(random_case *c) {
    static const tn_dtype types[] = {TN_F32, TN_F16, TN_U8, TN_I32, TN_I64};
    const tn_dtype dtype = random_any_dtype(c);
    const tn_shape shape = random_shape(c, 1, 4);
    tn_shape condition = shape;
    condition.rank = random_coin(c) ? 1 : shape.rank;
    const tn_dtype type = c->is_plain ? TN_F32 : types[random_between(c, 0, 4)];
    random_input(c, type, &condition, 0, 1.9);
    random_input(c, dtype, &shape, 0, 100);
    random_input(c, dtype, &shape, 0, 100);
}

static void make_like(random_case *c) {
    const tn_dtype dtype = random_dtype(c);
    const tn_shape shape = random_shape(c, 1, 4);
    random_input(c, dtype, &shape, 0, 100);
    random_input(c, dtype, &shape, 0, 100);
}

#define UNARY(name)                                                                                \
    { #name, make_unary }
#define UNARY_ANY(name)                                                                            \
    { #name, make_unary_any }
#define BINARY(name)                                                                               \
    { #name, make_binary }
#define BROADCAST(name)                                                                            \
    { "broadcast_" #name, make_broadcast }
#define SCALAR(name)                                                                               \
    { "_" #name "_scalar", make_scalar }

static const random_generator generators[] = {
    UNARY(arccos),
    UNARY(arccosh),
    UNARY(arcsin),
    UNARY(arcsinh),
    UNARY(arctan),
    UNARY(arctanh),
    UNARY(cbrt),
    UNARY(cos),
    UNARY(cosh),
    UNARY(degrees),
    UNARY(erf),
    UNARY(erfinv),
    UNARY(exp),
    UNARY(expm1),
    UNARY(gamma),
    UNARY(gammaln),
    UNARY(log),
    UNARY(log10),
    UNARY(log1p),
    UNARY(log2),
    UNARY(radians),
    UNARY(rcbrt),
    UNARY(reciprocal),
    UNARY(rsqrt),
    UNARY(sigmoid),
    UNARY(sin),
    UNARY(sinh),
    UNARY(softsign),
    UNARY(sqrt),
    UNARY(tan),
    UNARY(tanh),
    UNARY_ANY(abs),
    UNARY_ANY(ceil),
    UNARY_ANY(fix),
    UNARY_ANY(floor),
    UNARY_ANY(logical_not),
    UNARY_ANY(negative),
    UNARY_ANY(relu),
    UNARY_ANY(rint),
    UNARY_ANY(round),
    UNARY_ANY(sign),
    UNARY_ANY(square),
    UNARY_ANY(trunc),
    UNARY_ANY(ones_like),
    UNARY_ANY(zeros_like),
    UNARY_ANY(_copy),
    UNARY_ANY(BlockGrad),
    UNARY_ANY(make_loss),
    UNARY_ANY(MakeLoss),
    {"clip", make_clip},
    {"smooth_l1", make_smooth_l1},
    {"hard_sigmoid", make_hard_sigmoid},
    {"Activation", make_activation},
    {"Cast", make_cast},
    {"amp_cast", make_amp_cast},
    BINARY(elemwise_add),
    BINARY(elemwise_sub),
    BINARY(elemwise_mul),
    BINARY(elemwise_div),
    BINARY(_grad_add),
    BINARY(_maximum),
    BINARY(_minimum),
    BINARY(_mod),
    BINARY(_power),
    BINARY(_hypot),
    BINARY(_equal),
    BINARY(_not_equal),
    BINARY(_greater),
    BINARY(_greater_equal),
    BINARY(_lesser),
    BINARY(_lesser_equal),
    BINARY(_logical_and),
    BINARY(_logical_or),
    BINARY(_logical_xor),
    BROADCAST(add),
    BROADCAST(sub),
    BROADCAST(mul),
    BROADCAST(div),
    BROADCAST(mod),
    BROADCAST(power),
    BROADCAST(maximum),
    BROADCAST(minimum),
    BROADCAST(hypot),
    BROADCAST(equal),
    BROADCAST(not_equal),
    BROADCAST(greater),
    BROADCAST(greater_equal),
    BROADCAST(lesser),
    BROADCAST(lesser_equal),
    BROADCAST(logical_and),
    BROADCAST(logical_or),
    BROADCAST(logical_xor),
    SCALAR(plus),
    SCALAR(minus),
    SCALAR(rminus),
    SCALAR(mul),
    SCALAR(div),
    SCALAR(rdiv),
    SCALAR(mod),
    SCALAR(rmod),
    SCALAR(power),
    SCALAR(rpower),
    SCALAR(maximum),
    SCALAR(minimum),
    SCALAR(hypot),
    SCALAR(equal),
    SCALAR(not_equal),
    SCALAR(greater),
    SCALAR(greater_equal),
    SCALAR(lesser),
    SCALAR(lesser_equal),
    SCALAR(logical_and),
    SCALAR(logical_or),
    SCALAR(logical_xor),
    {"add_n", make_sum_of_many},
    {"fused_elementwise", make_fused},
    {"where", make_where},
    {"_identity_with_attr_like_rhs", make_like},
};

RANDOM_FAMILY(random_elementwise, generators);
