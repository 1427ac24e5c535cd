// Functions of one number. Which one is meant is known when the pipeline is made.
// -DCOMMON_FUNCTIONS: without the long ones that few graphs have.
#include "unary_numbers.glsl"

#if HAS_REALS
#ifndef COMMON_FUNCTIONS
#include "trigonometry.glsl"
#include "special_functions.glsl"

const float LN_2 = 0.69314718055994531;

// x * x * x = y, by Newton's method from a third of the logarithm that the bits are.
float cube_root(float y) {
    float magnitude = abs(y);
    if (magnitude < 1.17549435e-38 || is_infinite(y)) { // 0, or what devices take for it
        return y;
    }
    float x = uintBitsToFloat(floatBitsToUint(magnitude) / 3u + 709958130u);
    for (int step = 0; step < 3; step++) {
        x += (magnitude / (x * x) - x) * (1.0 / 3.0);
    }
    return y < 0.0 ? -x : x;
}

float hyperbolic_sine(float x) {
    float magnitude = abs(x);
    float result;
    if (magnitude > 80.0) { // half of exp(x), which may be too large to be halved
        float root = exponential(0.5 * magnitude);
        result = 0.5 * root * root;
    } else {
        float e = exponential_minus_one(magnitude);
        result = 0.5 * (e + e / (e + 1.0));
    }
    return x < 0.0 ? -result : result;
}

float hyperbolic_cosine(float x) {
    float root = exponential(0.5 * abs(x));
    return 0.5 * root * root + 0.5 / (root * root);
}

float inverse_hyperbolic_sine(float x) {
    float magnitude = abs(x);
    float result = magnitude > 1e9 ? natural_logarithm(magnitude) + LN_2
                                   : logarithm_of_one_plus(
                                         magnitude + magnitude * magnitude /
                                                         (1.0 + sqrt(1.0 + magnitude * magnitude)));
    return x < 0.0 ? -result : result;
}

float inverse_hyperbolic_cosine(float x) {
    if (x < 1.0) {
        return NOT_A_NUMBER;
    }
    float above = x - 1.0;
    return x > 1e9 ? natural_logarithm(x) + LN_2
                   : logarithm_of_one_plus(above + sqrt(above * (above + 2.0)));
}

float inverse_hyperbolic_tangent(float x) {
    float magnitude = abs(x);
    float result = magnitude > 1.0    ? NOT_A_NUMBER
                   : magnitude == 1.0 ? INFINITE
                                      : 0.5 * logarithm_of_one_plus(2.0 * magnitude /
                                                                    (1.0 - magnitude));
    return x < 0.0 ? -result : result;
}
#endif

// To the nearest integer; of two equally near ones, the lower.
float round_half_down(float x) {
    float below = floor(x), above = ceil(x);
    return x - below <= above - x ? below : above;
}

// The same, but the one further from 0.
float round_half_away(float x) {
    float whole = trunc(x);
    return abs(x - whole) < 0.5 ? whole : x < 0.0 ? whole - 1.0 : whole + 1.0;
}

float smooth_l1(float x, float sigma) {
    float square = sigma * sigma;
    float limit = 1.0 / square;
    float magnitude = abs(x);
    return magnitude > limit ? magnitude - limit / 2.0 : x * x * square / 2.0;
}

float soft_plus(float x) {
    return max(x, 0.0) + logarithm_of_one_plus(exponential(-abs(x)));
}

// `x` is no NaN.
float apply_to_number(uint function, float x, float first, float second) {
    switch (function) {
    case ABS: return abs(x);
    case SIGN_OR_NAN:
    case SIGN: return float(x > 0.0) - float(x < 0.0);
    case CEIL: return ceil(x);
    case FLOOR: return floor(x);
    case RINT: return is_infinite(x) ? x : round_half_down(x);
    case ROUND: return is_infinite(x) ? x : round_half_away(x);
    case TRUNC: return trunc(x);
    case SQUARE: return x * x;
    case NEGATIVE: return -x;
    case RELU: return is_nan(x) || x > 0.0 ? x : 0.0;
    case LOGICAL_NOT: return float(x == 0.0);
    case CLIP: return x > second ? second : x < first ? first : x;
    case SQRT: return x < 0.0 ? NOT_A_NUMBER : is_infinite(x) ? x : sqrt(x);
    case RSQRT: return x < 0.0 ? NOT_A_NUMBER : is_infinite(x) ? 0.0 : 1.0 / sqrt(x);
    case EXP: return exponential(x);
    case LOG: return natural_logarithm(x);
    case LOG10: return natural_logarithm(x) * 0.43429448190325183;
    case LOG2: return natural_logarithm(x) * 1.4426950408889634;
    case LOG1P: return logarithm_of_one_plus(x);
    case EXPM1: return exponential_minus_one(x);
    case TANH: return hyperbolic_tangent(x);
    case DEGREES: return x * 57.295779513082320877;
    case RADIANS: return x * 0.017453292519943295769;
    case RECIPROCAL: return 1.0 / x;
    case SIGMOID: return logistic(x);
    case HARD_SIGMOID: return clamp(first * x + second, 0.0, 1.0);
    case SMOOTH_L1: return smooth_l1(x, first);
    case SOFTSIGN: return x / (1.0 + abs(x));
    case LEAKY_RELU: return x < 0.0 ? first * x : x;
    case ELU: return x < 0.0 ? first * exponential_minus_one(x) : x;
    case CELU: return x < 0.0 ? first * exponential_minus_one(x / first) : x;
    case SELU: return second * (x > 0.0 ? x : first * exponential_minus_one(x));
    case SHRINK: return x < -first ? x + second : x > first ? x - second : 0.0;
    case SWISH: return x / (1.0 + exponential(-first * x));
    case THRESHOLDED_RELU: return x > first ? x : 0.0;
    case HARD_SWISH: return x * clamp(x / 6.0 + 0.5, 0.0, 1.0);
    case MISH: return x * hyperbolic_tangent(soft_plus(x));
    case ROUND_EVEN: return is_infinite(x) ? x : roundEven(x);
    case SOFTPLUS: return soft_plus(x);
    case GELU: return 0.5 * x * (1.0 + error_function(x * 0.70710678118654752440));
    case GELU_TANH:
        return 0.5 * x *
               (1.0 + hyperbolic_tangent(0.79788456080286535588 * fma(0.044715 * x, x * x, x)));
#ifdef COMMON_FUNCTIONS
    default: return error_function(x);
#else
    case ERF: return error_function(x);
    case CBRT: return cube_root(x);
    case RCBRT: return 1.0 / cube_root(x);
    case SIN: return sine(x);
    case COS: return cosine(x);
    case TAN: return tangent(x);
    case ARCSIN: return inverse_sine(x);
    case ARCCOS: return inverse_cosine(x);
    case ARCTAN: return inverse_tangent(x);
    case SINH: return hyperbolic_sine(x);
    case COSH: return hyperbolic_cosine(x);
    case ARCSINH: return inverse_hyperbolic_sine(x);
    case ARCCOSH: return inverse_hyperbolic_cosine(x);
    case ARCTANH: return inverse_hyperbolic_tangent(x);
    case ERFINV: return inverse_error_function(x);
    case GAMMA: return gamma_function(x);
    default: return logarithm_of_gamma(x);
#endif
    }
}

float apply_to_real(uint function, float x, float first, float second) {
    if (is_nan(x)) {
        return function == SIGN || function == LOGICAL_NOT || function == SHRINK ||
                       function == THRESHOLDED_RELU
                   ? 0.0
                   : x;
    }
    return apply_to_number(function, x, first, second);
}
#endif

WHOLE apply_to_whole(uint function, WHOLE x, WHOLE first, WHOLE second) {
    const WHOLE zero = WHOLE(0);
    switch (function) {
    case ABS: return x < zero ? -x : x;
    case SIGN: return WHOLE(x > zero) - WHOLE(x < zero);
    case SQUARE: return x * x;
    case NEGATIVE: return -x;
    case RELU: return x < zero ? zero : x;
    case LOGICAL_NOT: return WHOLE(x == zero);
    case CLIP: return x > second ? second : x < first ? first : x;
    default: return x; // it is rounded already
    }
}
