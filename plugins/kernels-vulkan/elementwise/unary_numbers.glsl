// The functions of unary_functions.glsl, in the order of unary.h. Those up to CLIP take integers.
const uint ABS = 0, SIGN = 1, CEIL = 2, FLOOR = 3, RINT = 4, ROUND = 5, TRUNC = 6, SQUARE = 7,
           NEGATIVE = 8, RELU = 9, LOGICAL_NOT = 10, CLIP = 11, SQRT = 12, RSQRT = 13, CBRT = 14,
           RCBRT = 15, EXP = 16, LOG = 17, LOG10 = 18, LOG2 = 19, LOG1P = 20, EXPM1 = 21,
           SIN = 22, COS = 23, TAN = 24, ARCSIN = 25, ARCCOS = 26, ARCTAN = 27, SINH = 28,
           COSH = 29, TANH = 30, ARCSINH = 31, ARCCOSH = 32, ARCTANH = 33, DEGREES = 34,
           RADIANS = 35, RECIPROCAL = 36, SIGMOID = 37, HARD_SIGMOID = 38, SMOOTH_L1 = 39,
           SOFTSIGN = 40, ERF = 41, ERFINV = 42, GAMMA = 43, GAMMALN = 44, LEAKY_RELU = 45, ELU = 46, CELU = 47,
           SELU = 48, SHRINK = 49, SWISH = 50, THRESHOLDED_RELU = 51, HARD_SWISH = 52, MISH = 53,
           ROUND_EVEN = 54, SOFTPLUS = 55, GELU = 56, GELU_TANH = 57, SIGN_OR_NAN = 58;
