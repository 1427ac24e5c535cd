// Functions of two numbers. Which one is meant is known when the pipeline is made.
// -DCOMMON_FUNCTIONS: without the long ones that few graphs have.
const uint ADD = 0, SUBTRACT = 1, MULTIPLY = 2, DIVIDE = 3, MOD = 4, MAXIMUM = 5, MINIMUM = 6,
           EQUAL = 7, NOT_EQUAL = 8, GREATER = 9, GREATER_EQUAL = 10, LESSER = 11,
           LESSER_EQUAL = 12, LOGICAL_AND = 13, LOGICAL_OR = 14, LOGICAL_XOR = 15, POWER = 16,
           HYPOT = 17, PRELU = 18;

#if HAS_REALS
#ifndef COMMON_FUNCTIONS
// What is left of a / b, both positive, without rounding: long division of the significands.
float remainder_of(float a, float b) {
    if (a < b) {
        return a;
    }
    uint a_bits = floatBitsToUint(a), b_bits = floatBitsToUint(b);
    uint exponent = b_bits >> 23;
    if (exponent == 0) { // a subnormal divisor, which devices take for 0
        return 0.0;
    }
    uint divisor = (b_bits & 0x7fffffu) | 0x800000u;
    uint rest = ((a_bits & 0x7fffffu) | 0x800000u) % divisor;
    for (int shift = int(a_bits >> 23) - int(exponent); shift > 0; shift -= 8) {
        rest = (rest << min(shift, 8)) % divisor;
    }
    return float(rest) * 1.1920928955078125e-7 * uintBitsToFloat(exponent << 23);
}

float mod_of(float a, float b) {
    if (b == 0.0) {
        return 0.0;
    }
    if (is_nan(a) || is_nan(b) || is_infinite(a)) {
        return NOT_A_NUMBER;
    }
    float magnitude = is_infinite(b) ? abs(a) : remainder_of(abs(a), abs(b));
    float rest = a < 0.0 ? -magnitude : magnitude;
    return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

float hypotenuse(float a, float b) {
    if (is_infinite(a) || is_infinite(b)) {
        return INFINITE;
    }
    if (is_nan(a) || is_nan(b)) {
        return NOT_A_NUMBER;
    }
    float longer = max(abs(a), abs(b));
    float ratio = longer == 0.0 ? 0.0 : min(abs(a), abs(b)) / longer;
    return longer * sqrt(1.0 + ratio * ratio);
}
#endif

// a * b is the sum of both parts: the rounded product and, from halves of the factors whose
// products are exact, what rounding took.
vec2 exact_product(float a, float b) {
    precise float a_wide = a * 4097.0;
    precise float a_high = a_wide - (a_wide - a);
    precise float a_low = a - a_high;
    precise float b_wide = b * 4097.0;
    precise float b_high = b_wide - (b_wide - b);
    precise float b_low = b - b_high;
    precise float product = a * b;
    precise float rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) +
                         a_low * b_low;
    return vec2(product, rest);
}

// a / b to the last bit: devices may be two or three off, which quantising makes whole steps of.
// Where parts of the product would be subnormal, what the device gives has to do.
float divided(float a, float b) {
    precise float quotient = a / b;
    if (!(abs(a) > 1e-30 && abs(quotient) > 1e-30)) {
        return quotient;
    }
    vec2 product = exact_product(quotient, b);
    precise float rest = (a - product.x) - product.y;
    precise float better = quotient + rest / b;
    return is_nan(better) || is_infinite(better) ? quotient : better;
}

// log(x) of a positive finite x as the sum of both parts, good to about 30 bits.
vec2 wide_logarithm(float x) {
    bool is_subnormal = x < 1.17549435e-38;
    uint bits = floatBitsToUint(is_subnormal ? x * 8388608.0 : x);
    int exponent = int(bits - 0x3f3504f3u) >> 23; // of a significand from sqrt(1/2) to sqrt(2)
    float significand = uintBitsToFloat(bits - uint(exponent << 23));
    float n = float(exponent - (is_subnormal ? 23 : 0));
    precise float f = significand - 1.0;
    precise float divisor = 2.0 + f;
    precise float divisor_rest = f - (divisor - 2.0);
    precise float s = f / divisor;
    vec2 product = exact_product(s, divisor);
    precise float s_rest = (((f - product.x) - product.y) - s * divisor_rest) / divisor;
    float z = s * s;
    float series = s * z * (2.0 / 3.0 + z * (2.0 / 5.0 + z * (2.0 / 7.0 + z * (2.0 / 9.0))));
    precise float whole = n * 0.693359375; // exact
    precise float twice = 2.0 * s;
    precise float high = whole + twice;
    precise float low = whole == 0.0 ? 0.0 : twice - (high - whole);
    precise float rest = low + (2.0 * s_rest + (series - n * 2.12194440e-4));
    precise float sum = high + rest;
    precise float sum_rest = rest - (sum - high);
    return vec2(sum, sum_rest);
}

// x^y of a positive finite x other than 1 and a finite y.
float positive_power(float x, float y) {
    vec2 logarithm = wide_logarithm(x);
    if (abs(y * logarithm.x) > 200.0) {
        return (y > 0.0) == (logarithm.x > 0.0) ? INFINITE : 0.0;
    }
    vec2 product = exact_product(y, logarithm.x);
    float power = exponential(product.x);
    return is_infinite(power) ? power : power + power * (product.y + y * logarithm.y);
}

float power(float x, float y) {
    if (y == 0.0 || x == 1.0) {
        return 1.0;
    }
    if (is_nan(x) || is_nan(y)) {
        return NOT_A_NUMBER;
    }
    float magnitude = abs(x);
    if (is_infinite(y)) {
        return magnitude == 1.0 ? 1.0 : (magnitude > 1.0) == (y > 0.0) ? INFINITE : 0.0;
    }
    bool is_whole = trunc(y) == y;
    bool is_odd = is_whole && abs(y) < 16777216.0 && (int(y) & 1) != 0;
    bool is_negative = (floatBitsToUint(x) >> 31) != 0;
    float result;
    if (magnitude == 0.0 || is_infinite(magnitude)) {
        result = (magnitude == 0.0) == (y > 0.0) ? 0.0 : INFINITE;
    } else if (is_negative && !is_whole) {
        return NOT_A_NUMBER;
    } else {
        result = magnitude == 1.0 ? 1.0 : positive_power(magnitude, y);
    }
    return is_negative && is_odd ? -result : result;
}

float apply_to_reals(uint function, float a, float b) {
    bool is_unordered = is_nan(a) || is_nan(b);
    switch (function) {
    case PRELU: return a < 0.0 ? a * b : a;
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return divided(a, b);
    case MAXIMUM: return is_nan(a) ? a : is_nan(b) ? b : max(a, b);
    case MINIMUM: return is_nan(a) ? a : is_nan(b) ? b : min(a, b);
    case EQUAL: return float(!is_unordered && a == b);
    case NOT_EQUAL: return float(is_unordered || a != b);
    case GREATER: return float(!is_unordered && a > b);
    case GREATER_EQUAL: return float(!is_unordered && a >= b);
    case LESSER: return float(!is_unordered && a < b);
    case LESSER_EQUAL: return float(!is_unordered && a <= b);
    case LOGICAL_AND: return float((is_nan(a) || a != 0.0) && (is_nan(b) || b != 0.0));
    case LOGICAL_OR: return float(is_unordered || a != 0.0 || b != 0.0);
    case LOGICAL_XOR: return float((is_nan(a) || a != 0.0) != (is_nan(b) || b != 0.0));
#ifdef COMMON_FUNCTIONS
    default: return power(a, b);
#else
    case POWER: return power(a, b);
    case MOD: return mod_of(a, b);
    default: return hypotenuse(a, b);
#endif
    }
}
#endif

// A division by 0 gives 0; the lowest integer divided by -1 wraps around to itself.
WHOLE divide_wholes(WHOLE a, WHOLE b) {
    WHOLE divisor = b == WHOLE(0) || b == WHOLE(-1) ? WHOLE(1) : b;
    WHOLE quotient = a / divisor;
    return b == WHOLE(0) ? WHOLE(0) : b == WHOLE(-1) ? -a : quotient;
}

// The remainder with the divisor's sign.
WHOLE mod_wholes(WHOLE a, WHOLE b) {
    WHOLE divisor = b == WHOLE(0) || b == WHOLE(-1) ? WHOLE(1) : b;
    WHOLE rest = a - a / divisor * divisor;
    return rest != WHOLE(0) && (rest < WHOLE(0)) != (divisor < WHOLE(0)) ? rest + divisor : rest;
}

WHOLE apply_to_wholes(uint function, WHOLE a, WHOLE b) {
    bool is_left = a != WHOLE(0), is_right = b != WHOLE(0);
    switch (function) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return divide_wholes(a, b);
    case MOD: return mod_wholes(a, b);
    case MAXIMUM: return a > b ? a : b;
    case MINIMUM: return a < b ? a : b;
    case EQUAL: return WHOLE(a == b);
    case NOT_EQUAL: return WHOLE(a != b);
    case GREATER: return WHOLE(a > b);
    case GREATER_EQUAL: return WHOLE(a >= b);
    case LESSER: return WHOLE(a < b);
    case LESSER_EQUAL: return WHOLE(a <= b);
    case LOGICAL_AND: return WHOLE(is_left && is_right);
    case LOGICAL_OR: return WHOLE(is_left || is_right);
    default: return WHOLE(is_left != is_right);
    }
}
