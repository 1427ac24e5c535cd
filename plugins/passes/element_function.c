#include "element_function.h"

/* Operators that have the function's name. */
static const char *const unary[] = {
    "abs",     "sign",       "ceil",    "floor",    "rint",     "round",   "trunc",
    "square",  "relu",       "sqrt",    "rsqrt",    "cbrt",     "rcbrt",   "exp",
    "log",     "log10",      "log2",    "log1p",    "expm1",    "sin",     "cos",
    "tan",     "arcsin",     "arccos",  "arctan",   "sinh",     "cosh",    "tanh",
    "arcsinh", "arccosh",    "arctanh", "degrees",  "radians",  "sigmoid", "erf",
    "erfinv",  "reciprocal", "gamma",   "softsign", "negative", "gammaln", "logical_not"};

/* The operators of a function of two operands, by what the operands are. */
typedef struct binary_names {
    const char *function;
    const char *same_shape;
    const char *stretched;
    const char *scalar; /* the number is the second operand */
    const char *scalar_first;
} binary_names;

static const binary_names binary[] = {
    {"add", "elemwise_add _add _plus _Plus _grad_add", "broadcast_add broadcast_plus",
     "_plus_scalar _PlusScalar", ""},
    {"subtract", "elemwise_sub _sub _minus _Minus", "broadcast_sub broadcast_minus",
     "_minus_scalar _MinusScalar", "_rminus_scalar _RMinusScalar"},
    {"multiply", "elemwise_mul _mul _Mul", "broadcast_mul", "_mul_scalar _MulScalar", ""},
    {"divide", "elemwise_div _div _Div", "broadcast_div", "_div_scalar _DivScalar",
     "_rdiv_scalar _RDivScalar"},
    {"mod", "_mod _Mod", "broadcast_mod", "_mod_scalar _ModScalar", "_rmod_scalar _RModScalar"},
    {"power", "_power _Power", "broadcast_power", "_power_scalar _PowerScalar",
     "_rpower_scalar _RPowerScalar"},
    {"hypot", "_hypot _Hypot", "broadcast_hypot", "_hypot_scalar _HypotScalar", ""},
    {"maximum", "_maximum _Maximum", "broadcast_maximum", "_maximum_scalar _MaximumScalar", ""},
    {"minimum", "_minimum _Minimum", "broadcast_minimum", "_minimum_scalar _MinimumScalar", ""},
    {"equal", "_equal _Equal", "broadcast_equal", "_equal_scalar _EqualScalar", ""},
    {"not_equal", "_not_equal _Not_Equal", "broadcast_not_equal",
     "_not_equal_scalar _NotEqualScalar", ""},
    {"greater", "_greater _Greater", "broadcast_greater", "_greater_scalar _GreaterScalar", ""},
    {"greater_equal", "_greater_equal _Greater_Equal", "broadcast_greater_equal",
     "_greater_equal_scalar _GreaterEqualScalar", ""},
    {"lesser", "_lesser _Lesser", "broadcast_lesser", "_lesser_scalar _LesserScalar", ""},
    {"lesser_equal", "_lesser_equal _Lesser_Equal", "broadcast_lesser_equal",
     "_lesser_equal_scalar _LesserEqualScalar", ""},
    {"logical_and", "_logical_and _Logical_And", "broadcast_logical_and",
     "_logical_and_scalar _LogicalAndScalar", ""},
    {"logical_or", "_logical_or _Logical_Or", "broadcast_logical_or",
     "_logical_or_scalar _LogicalOrScalar", ""},
    {"logical_xor", "_logical_xor _Logical_Xor", "broadcast_logical_xor",
     "_logical_xor_scalar _LogicalXorScalar", ""},
};

static int find_binary(const tn_node_info *info, element_function *out) {
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        const binary_names *names = &binary[i];
        out->name = names->function;
        out->is_stretched = has_word(names->stretched, info->op);
        out->number_first = has_word(names->scalar_first, info->op);
        if (out->is_stretched || has_word(names->same_shape, info->op)) {
            out->value_count = 2;
            return 1;
        }
        if (out->number_first || has_word(names->scalar, info->op)) {
            out->value_count = 1;
            out->number_count = 1;
            out->numbers[0] = node_attribute(info, "scalar", "1");
            return 1;
        }
    }
    return 0;
}

static int find_unary(const char *name, element_function *out) {
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++) {
        if (strcmp(unary[i], name) == 0) {
            out->name = unary[i];
            out->value_count = 1;
            return 1;
        }
    }
    return 0;
}

static int is_numbered(const tn_node_info *info, const char *op, const char *function,
                       uint32_t count, const char *first, const char *second,
                       element_function *out) {
    if (strcmp(info->op, op) != 0 || first == NULL || second == NULL) {
        return 0;
    }
    *out = (element_function){
        .name = function, .value_count = 1, .number_count = count, .numbers = {first, second}};
    return 1;
}

int find_element_function(const tn_node_info *info, element_function *out) {
    *out = (element_function){0};
    if (info->op == NULL) {
        return 0;
    }
    if (strcmp(info->op, "Activation") == 0) { /* softrelu is no function of its own */
        return find_unary(node_attribute(info, "act_type", ""), out);
    }
    return find_unary(strcmp(info->op, "fix") == 0 ? "trunc" : info->op, out) ||
           is_numbered(info, "clip", "clip", 2, node_attribute(info, "a_min", NULL),
                       node_attribute(info, "a_max", NULL), out) ||
           is_numbered(info, "hard_sigmoid", "hard_sigmoid", 2,
                       node_attribute(info, "alpha", "0.2"), node_attribute(info, "beta", "0.5"),
                       out) ||
           is_numbered(info, "smooth_l1", "smooth_l1", 1, node_attribute(info, "scalar", "1"), "",
                       out) ||
           find_binary(info, out);
}
