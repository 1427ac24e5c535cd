#include "unary_functions.h"

#include <math.h>

#include <tenon/plugin/exponential.h>

#include "special_functions.h"

#define DEFINE_ROW(FUNCTION, SUFFIX, TYPE, EXPRESSION)                                             \
    static void FUNCTION##_##SUFFIX(const void *input,                                             \
                                    const compute_value parameters[UNARY_PARAMETERS],              \
                                    void *output, int64_t count) {                                 \
        const TYPE *inputs = input;                                                                \
        TYPE *outputs = output;                                                                    \
        const TYPE first = parameters[0].SUFFIX;                                                   \
        const TYPE second = parameters[1].SUFFIX;                                                  \
        (void)first;                                                                               \
        (void)second;                                                                              \
        INDEPENDENT_ITERATIONS                                                                     \
        for (int64_t i = 0; i < count; i++) {                                                      \
            const TYPE x = inputs[i];                                                              \
            outputs[i] = EXPRESSION;                                                               \
        }                                                                                          \
    }

/* Rounding is to the nearest integer; of two equally near ones, MXNet takes the lower. */
#define DEFINE_REAL_FUNCTIONS(SUFFIX, TYPE, MATH)                                                  \
    static inline TYPE round_half_down_##SUFFIX(TYPE x) {                                          \
        const TYPE below = MATH(floor)(x);                                                         \
        const TYPE above = MATH(ceil)(x);                                                          \
        return x - below <= above - x ? below : above;                                             \
    }                                                                                              \
    static inline TYPE smooth_l1_##SUFFIX##_at(TYPE x, TYPE sigma) {                               \
        const TYPE squared = sigma * sigma;                                                        \
        const TYPE limit = 1 / squared;                                                            \
        const TYPE magnitude = MATH(fabs)(x);                                                      \
        return magnitude > limit ? magnitude - limit / 2 : x * x * squared / 2;                    \
    }                                                                                              \
    static inline TYPE clip_##SUFFIX##_at(TYPE x, TYPE lowest, TYPE highest) {                     \
        const TYPE raised = x < lowest ? lowest : x;                                               \
        return x > highest ? highest : raised;                                                     \
    }
#define DEFINE_SOFTPLUS(SUFFIX, TYPE, MATH)                                                        \
    static inline TYPE softplus_##SUFFIX##_at(TYPE x) {                                            \
        return x > 0 ? x + MATH(log1p)(MATH(exp)(-x)) : MATH(log1p)(MATH(exp)(x));                 \
    }
DEFINE_SOFTPLUS(f32, float, MATH_F32)
DEFINE_SOFTPLUS(f64, double, MATH_F64)

/* Those that vector code has a form of its own for in f32. */
#define DEFINE_TRANSCENDENTALS(SUFFIX, TYPE, EXP, EXPM1_BELOW_0, TANH, LOGISTIC, ERF)              \
    static inline TYPE exp_##SUFFIX##_at(TYPE x) {                                                 \
        return EXP;                                                                                \
    }                                                                                              \
    static inline TYPE expm1_below_0_##SUFFIX##_at(TYPE x) {                                       \
        return EXPM1_BELOW_0;                                                                      \
    }                                                                                              \
    static inline TYPE tanh_##SUFFIX##_at(TYPE x) {                                                \
        return TANH;                                                                               \
    }                                                                                              \
    static inline TYPE sigmoid_##SUFFIX##_at(TYPE x) {                                             \
        return LOGISTIC;                                                                           \
    }                                                                                              \
    static inline TYPE erf_##SUFFIX##_at(TYPE x) {                                                 \
        return ERF;                                                                                \
    }
DEFINE_TRANSCENDENTALS(f32, float, tn_exp_f32(x), tn_expm1_below_0_f32(x), tn_tanh_f32(x),
                       tn_sigmoid_f32(x), tn_erf_f32(x))
DEFINE_TRANSCENDENTALS(f64, double, exp(x), expm1(x), tanh(x), 1 / (1 + exp(-x)), erf(x))
DEFINE_REAL_FUNCTIONS(f32, float, MATH_F32)
DEFINE_REAL_FUNCTIONS(f64, double, MATH_F64)

#define DEGREES_PER_RADIAN 57.295779513082320877
#define SQRT_HALF 0.70710678118654752440
#define GELU_SLOPE 0.79788456080286535588 /* the square root of 2 / pi */
#define RADIANS_PER_DEGREE 0.017453292519943295769

/* A NaN goes through all of them, but for sign, which makes it 0, and logical_not. */
#define DEFINE_REAL_ROWS(SUFFIX, TYPE, MATH)                                                       \
    DEFINE_ROW(abs, SUFFIX, TYPE, MATH(fabs)(x))                                                   \
    DEFINE_ROW(sign, SUFFIX, TYPE, (TYPE)((x > 0) - (x < 0)))                                      \
    DEFINE_ROW(ceil, SUFFIX, TYPE, MATH(ceil)(x))                                                  \
    DEFINE_ROW(floor, SUFFIX, TYPE, MATH(floor)(x))                                                \
    DEFINE_ROW(rint, SUFFIX, TYPE, round_half_down_##SUFFIX(x))                                    \
    DEFINE_ROW(round, SUFFIX, TYPE, MATH(round)(x))                                                \
    DEFINE_ROW(trunc, SUFFIX, TYPE, MATH(trunc)(x))                                                \
    DEFINE_ROW(square, SUFFIX, TYPE, (x * x))                                                      \
    DEFINE_ROW(negative, SUFFIX, TYPE, -x)                                                         \
    DEFINE_ROW(relu, SUFFIX, TYPE, x <= 0 ? 0 : x)                                                 \
    DEFINE_ROW(logical_not, SUFFIX, TYPE, x == 0)                                                  \
    DEFINE_ROW(clip, SUFFIX, TYPE, clip_##SUFFIX##_at(x, first, second))                           \
    DEFINE_ROW(sqrt, SUFFIX, TYPE, MATH(sqrt)(x))                                                  \
    DEFINE_ROW(rsqrt, SUFFIX, TYPE, 1 / MATH(sqrt)(x))                                             \
    DEFINE_ROW(cbrt, SUFFIX, TYPE, MATH(cbrt)(x))                                                  \
    DEFINE_ROW(rcbrt, SUFFIX, TYPE, 1 / MATH(cbrt)(x))                                             \
    DEFINE_ROW(log, SUFFIX, TYPE, MATH(log)(x))                                                    \
    DEFINE_ROW(log10, SUFFIX, TYPE, MATH(log10)(x))                                                \
    DEFINE_ROW(log2, SUFFIX, TYPE, MATH(log2)(x))                                                  \
    DEFINE_ROW(log1p, SUFFIX, TYPE, MATH(log1p)(x))                                                \
    DEFINE_ROW(expm1, SUFFIX, TYPE, MATH(expm1)(x))                                                \
    DEFINE_ROW(sin, SUFFIX, TYPE, MATH(sin)(x))                                                    \
    DEFINE_ROW(cos, SUFFIX, TYPE, MATH(cos)(x))                                                    \
    DEFINE_ROW(tan, SUFFIX, TYPE, MATH(tan)(x))                                                    \
    DEFINE_ROW(arcsin, SUFFIX, TYPE, MATH(asin)(x))                                                \
    DEFINE_ROW(arccos, SUFFIX, TYPE, MATH(acos)(x))                                                \
    DEFINE_ROW(arctan, SUFFIX, TYPE, MATH(atan)(x))                                                \
    DEFINE_ROW(sinh, SUFFIX, TYPE, MATH(sinh)(x))                                                  \
    DEFINE_ROW(cosh, SUFFIX, TYPE, MATH(cosh)(x))                                                  \
    DEFINE_ROW(arcsinh, SUFFIX, TYPE, MATH(asinh)(x))                                              \
    DEFINE_ROW(arccosh, SUFFIX, TYPE, MATH(acosh)(x))                                              \
    DEFINE_ROW(arctanh, SUFFIX, TYPE, MATH(atanh)(x))                                              \
    DEFINE_ROW(degrees, SUFFIX, TYPE, (x * (TYPE)DEGREES_PER_RADIAN))                              \
    DEFINE_ROW(radians, SUFFIX, TYPE, (x * (TYPE)RADIANS_PER_DEGREE))                              \
    DEFINE_ROW(reciprocal, SUFFIX, TYPE, 1 / x)                                                    \
    DEFINE_ROW(hard_sigmoid, SUFFIX, TYPE, clip_##SUFFIX##_at((first * x) + second, 0, 1))         \
    DEFINE_ROW(smooth_l1, SUFFIX, TYPE, smooth_l1_##SUFFIX##_at(x, first))                         \
    DEFINE_ROW(softsign, SUFFIX, TYPE, x / (1 + MATH(fabs)(x)))                                    \
    DEFINE_ROW(erf, SUFFIX, TYPE, erf_##SUFFIX##_at(x))                                            \
    DEFINE_ROW(exp, SUFFIX, TYPE, exp_##SUFFIX##_at(x))                                            \
    DEFINE_ROW(tanh, SUFFIX, TYPE, tanh_##SUFFIX##_at(x))                                          \
    DEFINE_ROW(sigmoid, SUFFIX, TYPE, sigmoid_##SUFFIX##_at(x))                                    \
    DEFINE_ROW(erfinv, SUFFIX, TYPE, (TYPE)inverse_erf(x))                                         \
    DEFINE_ROW(gamma, SUFFIX, TYPE, MATH(tgamma)(x))                                               \
    DEFINE_ROW(gammaln, SUFFIX, TYPE, (TYPE)log_gamma(x))                                          \
    DEFINE_ROW(round_even, SUFFIX, TYPE, MATH(rint)(x))                                            \
    DEFINE_ROW(sign_or_nan, SUFFIX, TYPE, x > 0 ? 1 : x < 0 ? -1 : x)                              \
    DEFINE_ROW(shrink, SUFFIX, TYPE, x<-first ? x + second : x> first ? x - second : 0)            \
    DEFINE_ROW(thresholded_relu, SUFFIX, TYPE, x > first ? x : 0)                                  \
    DEFINE_ROW(leaky_relu, SUFFIX, TYPE, x < 0 ? first * x : x)                                    \
    DEFINE_ROW(elu, SUFFIX, TYPE, x < 0 ? first * expm1_below_0_##SUFFIX##_at(x) : x)              \
    DEFINE_ROW(selu, SUFFIX, TYPE, second *(x < 0 ? first * expm1_below_0_##SUFFIX##_at(x) : x))   \
    DEFINE_ROW(celu, SUFFIX, TYPE, x < 0 ? first * MATH(expm1)(x / first) : x)                     \
    DEFINE_ROW(softplus, SUFFIX, TYPE, softplus_##SUFFIX##_at(x))                                  \
    DEFINE_ROW(mish, SUFFIX, TYPE, x *tanh_##SUFFIX##_at(softplus_##SUFFIX##_at(x)))               \
    DEFINE_ROW(gelu, SUFFIX, TYPE, x / 2 * (1 + erf_##SUFFIX##_at(x * (TYPE)SQRT_HALF)))           \
    DEFINE_ROW(gelu_tanh, SUFFIX, TYPE,                                                            \
               x / 2 *                                                                             \
                   (1 + tanh_##SUFFIX##_at((TYPE)GELU_SLOPE * (x + (TYPE)0.044715 * x * x * x))))  \
    DEFINE_ROW(hard_swish, SUFFIX, TYPE, x *clip_##SUFFIX##_at(x / 6 + (TYPE)0.5, 0, 1))           \
    DEFINE_ROW(swish, SUFFIX, TYPE, x / (1 + exp_##SUFFIX##_at(-first * x)))                       \
    DEFINE_ROW(is_nan, SUFFIX, TYPE, x != x)                                                       \
    DEFINE_ROW(is_inf, SUFFIX, TYPE,                                                               \
               (first != 0 && x == -(TYPE)INFINITY) || (second != 0 && x == (TYPE)INFINITY))
DEFINE_REAL_ROWS(f32, float, MATH_F32)
DEFINE_REAL_ROWS(f64, double, MATH_F64)

/* Products and negatives wrap around: unsigned arithmetic does, signed must not. */
#define DEFINE_INTEGER_ROWS(SUFFIX, TYPE, UNSIGNED)                                                \
    DEFINE_ROW(ceil, SUFFIX, TYPE, x)                                                              \
    DEFINE_ROW(floor, SUFFIX, TYPE, x)                                                             \
    DEFINE_ROW(rint, SUFFIX, TYPE, x)                                                              \
    DEFINE_ROW(round, SUFFIX, TYPE, x)                                                             \
    DEFINE_ROW(trunc, SUFFIX, TYPE, x)                                                             \
    DEFINE_ROW(square, SUFFIX, TYPE, (TYPE)((UNSIGNED)x * (UNSIGNED)x))                            \
    DEFINE_ROW(negative, SUFFIX, TYPE, (TYPE)(0 - (UNSIGNED)x))                                    \
    DEFINE_ROW(logical_not, SUFFIX, TYPE, x == 0)                                                  \
    DEFINE_ROW(clip, SUFFIX, TYPE, x > second ? second : (x < first ? first : x))                  \
    DEFINE_ROW(round_even, SUFFIX, TYPE, x)                                                        \
    DEFINE_ROW(thresholded_relu, SUFFIX, TYPE, x > first ? x : 0)                                  \
    DEFINE_ROW(bitwise_not, SUFFIX, TYPE, ~x)
#define DEFINE_SIGNED_ROWS(SUFFIX, TYPE, UNSIGNED)                                                 \
    DEFINE_INTEGER_ROWS(SUFFIX, TYPE, UNSIGNED)                                                    \
    DEFINE_ROW(abs, SUFFIX, TYPE, x < 0 ? (TYPE)(0 - (UNSIGNED)x) : x)                             \
    DEFINE_ROW(sign, SUFFIX, TYPE, (x > 0) - (x < 0))                                              \
    DEFINE_ROW(sign_or_nan, SUFFIX, TYPE, (x > 0) - (x < 0))                                       \
    DEFINE_ROW(relu, SUFFIX, TYPE, x < 0 ? 0 : x)
DEFINE_SIGNED_ROWS(i32, int32_t, uint32_t)
DEFINE_SIGNED_ROWS(i64, int64_t, uint64_t)
DEFINE_INTEGER_ROWS(u64, uint64_t, uint64_t)
DEFINE_ROW(abs, u64, uint64_t, x)
DEFINE_ROW(sign, u64, uint64_t, x > 0)
DEFINE_ROW(sign_or_nan, u64, uint64_t, x > 0)
DEFINE_ROW(relu, u64, uint64_t, x)

const unary_row unary_rows[UNARY_FUNCTION_COUNT][COMPUTE_TYPE_COUNT] = {
#define ARITHMETIC_ROWS(FUNCTION)                                                                  \
    [UNARY_##FUNCTION] = {FUNCTION##_f32, FUNCTION##_f64, FUNCTION##_i32, FUNCTION##_i64,          \
                          FUNCTION##_u64},
#define INTEGER_ROWS(FUNCTION)                                                                     \
    [UNARY_##FUNCTION] = {NULL, NULL, FUNCTION##_i32, FUNCTION##_i64, FUNCTION##_u64},
#define REAL_ROWS(FUNCTION) [UNARY_##FUNCTION] = {FUNCTION##_f32, FUNCTION##_f64},
    UNARY_ARITHMETIC_FUNCTIONS(ARITHMETIC_ROWS) UNARY_REAL_FUNCTIONS(REAL_ROWS)
        UNARY_INTEGER_FUNCTIONS(INTEGER_ROWS)};

int64_t unary_grain(unary_function function) {
    switch (function) {
    case UNARY_erfinv:
    case UNARY_gamma:
    case UNARY_gammaln: return 256;
    case UNARY_sqrt:
    case UNARY_rsqrt:
    case UNARY_degrees:
    case UNARY_radians:
    case UNARY_reciprocal:
    case UNARY_hard_sigmoid:
    case UNARY_exp:
    case UNARY_tanh:
    case UNARY_sigmoid:
    case UNARY_erf:
    case UNARY_elu:
    case UNARY_selu:
    case UNARY_gelu:
    case UNARY_gelu_tanh:
    case UNARY_swish:
    case UNARY_hard_swish:
    case UNARY_leaky_relu:
    case UNARY_softsign: return 32768;
    default: return unary_rows[function][COMPUTE_I32] != NULL ? 65536 : 2048;
    }
}
