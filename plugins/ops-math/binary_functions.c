#include "binary_functions.h"

#include <math.h>

/* Integers divide as in C, but nothing traps: a division by 0 gives 0, and the lowest integer
 * divided by -1 wraps around to itself. */
#define DEFINE_SIGNED_DIVISION(SUFFIX, TYPE, UNSIGNED)                                             \
    static inline TYPE divide_integers_##SUFFIX(TYPE a, TYPE b) {                                  \
        if (b == 0) {                                                                              \
            return 0;                                                                              \
        }                                                                                          \
        return b == -1 ? (TYPE)(0 - (UNSIGNED)a) : a / b;                                          \
    }                                                                                              \
    static inline TYPE mod_integers_##SUFFIX(TYPE a, TYPE b) {                                     \
        if (b == 0 || b == -1) {                                                                   \
            return 0;                                                                              \
        }                                                                                          \
        const TYPE remainder = a % b;                                                              \
        return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;           \
    }
DEFINE_SIGNED_DIVISION(i32, int32_t, uint32_t)
DEFINE_SIGNED_DIVISION(i64, int64_t, uint64_t)

static inline uint64_t divide_integers_u64(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a / b;
}

static inline uint64_t mod_integers_u64(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a % b;
}

/* The remainder that has the divisor's sign; 0 for a divisor of 0. */
#define DEFINE_REAL_MOD(SUFFIX, TYPE, MATH)                                                        \
    static inline TYPE mod_reals_##SUFFIX(TYPE a, TYPE b) {                                        \
        if (b == 0) {                                                                              \
            return 0;                                                                              \
        }                                                                                          \
        const TYPE remainder = MATH(fmod)(a, b);                                                   \
        return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;           \
    }
DEFINE_REAL_MOD(f32, float, MATH_F32)
DEFINE_REAL_MOD(f64, double, MATH_F64)

/* The remainder that has the sign of a, as C has it. */
#define DEFINE_REMAINDER(SUFFIX, TYPE)                                                             \
    static inline TYPE remainder_##SUFFIX##_of(TYPE a, TYPE b) {                                   \
        return b == 0 || b == (TYPE)-1 ? 0 : (TYPE)(a % b);                                        \
    }
DEFINE_REMAINDER(i32, int32_t)
DEFINE_REMAINDER(i64, int64_t)

static inline uint64_t remainder_u64_of(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a % b;
}

#define DEFINE_ROW(FUNCTION, SUFFIX, TYPE, EXPRESSION)                                             \
    static void FUNCTION##_##SUFFIX(const void *left, int64_t left_step, const void *right,        \
                                    int64_t right_step, void *output, int64_t count) {             \
        const TYPE *lefts = left;                                                                  \
        const TYPE *rights = right;                                                                \
        TYPE *outputs = output;                                                                    \
        if (left_step == 0) {                                                                      \
            const TYPE a = lefts[0];                                                               \
            INDEPENDENT_ITERATIONS                                                                 \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const TYPE b = rights[i];                                                          \
                outputs[i] = EXPRESSION;                                                           \
            }                                                                                      \
        } else if (right_step == 0) {                                                              \
            const TYPE b = rights[0];                                                              \
            INDEPENDENT_ITERATIONS                                                                 \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const TYPE a = lefts[i];                                                           \
                outputs[i] = EXPRESSION;                                                           \
            }                                                                                      \
        } else {                                                                                   \
            INDEPENDENT_ITERATIONS                                                                 \
            for (int64_t i = 0; i < count; i++) {                                                  \
                const TYPE a = lefts[i];                                                           \
                const TYPE b = rights[i];                                                          \
                outputs[i] = EXPRESSION;                                                           \
            }                                                                                      \
        }                                                                                          \
    }

#define DEFINE_COMPARISONS(SUFFIX, TYPE)                                                           \
    DEFINE_ROW(equal, SUFFIX, TYPE, a == b)                                                        \
    DEFINE_ROW(not_equal, SUFFIX, TYPE, a != b)                                                    \
    DEFINE_ROW(greater, SUFFIX, TYPE, a > b)                                                       \
    DEFINE_ROW(greater_equal, SUFFIX, TYPE, a >= b)                                                \
    DEFINE_ROW(lesser, SUFFIX, TYPE, a < b)                                                        \
    DEFINE_ROW(lesser_equal, SUFFIX, TYPE, a <= b)                                                 \
    DEFINE_ROW(logical_and, SUFFIX, TYPE, (a != 0) & (b != 0))                                     \
    DEFINE_ROW(logical_or, SUFFIX, TYPE, (a != 0) | (b != 0))                                      \
    DEFINE_ROW(logical_xor, SUFFIX, TYPE, (a != 0) ^ (b != 0))

/* A NaN on either side is the maximum and the minimum. */
#define DEFINE_REAL_ROWS(SUFFIX, TYPE, MATH)                                                       \
    DEFINE_ROW(add, SUFFIX, TYPE, a + b)                                                           \
    DEFINE_ROW(subtract, SUFFIX, TYPE, a - b)                                                      \
    DEFINE_ROW(multiply, SUFFIX, TYPE, (a * b))                                                    \
    DEFINE_ROW(divide, SUFFIX, TYPE, a / b)                                                        \
    DEFINE_ROW(mod, SUFFIX, TYPE, mod_reals_##SUFFIX(a, b))                                        \
    DEFINE_ROW(maximum, SUFFIX, TYPE, a > b || a != a ? a : b)                                     \
    DEFINE_ROW(minimum, SUFFIX, TYPE, a < b || a != a ? a : b)                                     \
    DEFINE_ROW(remainder, SUFFIX, TYPE, MATH(fmod)(a, b))                                          \
    DEFINE_ROW(prelu, SUFFIX, TYPE, a < 0 ? a * b : a)                                             \
    DEFINE_ROW(power, SUFFIX, TYPE, MATH(pow)(a, b))                                               \
    DEFINE_ROW(hypot, SUFFIX, TYPE, MATH(hypot)(a, b))                                             \
    DEFINE_COMPARISONS(SUFFIX, TYPE)
DEFINE_REAL_ROWS(f32, float, MATH_F32)
DEFINE_REAL_ROWS(f64, double, MATH_F64)

/* Sums, differences and products wrap around: unsigned arithmetic does, signed must not. */
#define DEFINE_INTEGER_ROWS(SUFFIX, TYPE, UNSIGNED)                                                \
    DEFINE_ROW(add, SUFFIX, TYPE, (TYPE)((UNSIGNED)a + (UNSIGNED)b))                               \
    DEFINE_ROW(subtract, SUFFIX, TYPE, (TYPE)((UNSIGNED)a - (UNSIGNED)b))                          \
    DEFINE_ROW(multiply, SUFFIX, TYPE, (TYPE)((UNSIGNED)a * (UNSIGNED)b))                          \
    DEFINE_ROW(divide, SUFFIX, TYPE, divide_integers_##SUFFIX(a, b))                               \
    DEFINE_ROW(mod, SUFFIX, TYPE, mod_integers_##SUFFIX(a, b))                                     \
    DEFINE_ROW(maximum, SUFFIX, TYPE, a > b ? a : b)                                               \
    DEFINE_ROW(minimum, SUFFIX, TYPE, a < b ? a : b)                                               \
    DEFINE_ROW(remainder, SUFFIX, TYPE, remainder_##SUFFIX##_of(a, b))                             \
    DEFINE_ROW(bitwise_and, SUFFIX, TYPE, (a & b))                                                 \
    DEFINE_ROW(bitwise_or, SUFFIX, TYPE, (a | b))                                                  \
    DEFINE_ROW(bitwise_xor, SUFFIX, TYPE, (a ^ b))                                                 \
    DEFINE_ROW(shift_left, SUFFIX, TYPE,                                                           \
               (UNSIGNED)b < 8 * sizeof a ? (TYPE)((UNSIGNED)a << b) : 0)                          \
    DEFINE_ROW(shift_right, SUFFIX, TYPE,                                                          \
               (UNSIGNED)b < 8 * sizeof a ? (TYPE)((UNSIGNED)a >> b) : 0)                          \
    DEFINE_COMPARISONS(SUFFIX, TYPE)
DEFINE_INTEGER_ROWS(i32, int32_t, uint32_t)
DEFINE_INTEGER_ROWS(i64, int64_t, uint64_t)
DEFINE_INTEGER_ROWS(u64, uint64_t, uint64_t)

const binary_row binary_rows[BINARY_FUNCTION_COUNT][COMPUTE_TYPE_COUNT] = {
#define ARITHMETIC_ROWS(FUNCTION)                                                                  \
    [BINARY_##FUNCTION] = {FUNCTION##_f32, FUNCTION##_f64, FUNCTION##_i32, FUNCTION##_i64,         \
                           FUNCTION##_u64},
#define INTEGER_ROWS(FUNCTION)                                                                     \
    [BINARY_##FUNCTION] = {NULL, NULL, FUNCTION##_i32, FUNCTION##_i64, FUNCTION##_u64},
#define REAL_ROWS(FUNCTION) [BINARY_##FUNCTION] = {FUNCTION##_f32, FUNCTION##_f64},
    BINARY_ARITHMETIC_FUNCTIONS(ARITHMETIC_ROWS) BINARY_INTEGER_FUNCTIONS(INTEGER_ROWS)
        BINARY_REAL_FUNCTIONS(REAL_ROWS)};

int64_t binary_grain(binary_function function) {
    switch (function) {
    case BINARY_power: return 1024;
    case BINARY_mod:
    case BINARY_remainder:
    case BINARY_hypot: return 4096;
    default: return 65536;
    }
}
