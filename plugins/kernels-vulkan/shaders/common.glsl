// What all shaders share. A shader begins with
//     #version 450
//     #include "common.glsl"
// and is compiled once for each dtype: -DELEMENT=float, or -DELEMENT=float16_t -DELEMENT_F16.
// Arithmetic is in float; elements are converted where they are loaded and stored.
#extension GL_EXT_control_flow_attributes : require
#ifdef ELEMENT_F16
#extension GL_EXT_shader_16bit_storage : require
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif
// What is written, where that may be of another type than what is read.
#ifndef RESULT
#define RESULT ELEMENT
#endif

// Grids are folded where they pass a device's limits: these numbers count through the folds. Both
// may be beyond the end.
uint flat_group() {
    return gl_WorkGroupID.x +
           gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
}

// A macro, since the size of a workgroup is known only after the shader's layout.
#define flat_invocation()                                                                          \
    (flat_group() * (gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z) +               \
     gl_LocalInvocationIndex)

// The functions below are within a few units in the last place on every device. What is built in
// may be further off: the specification allows it, and a software renderer does it.
bool is_nan(float x) {
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}

// 2^n * exp(r), n = round(x / ln 2), |r| <= ln(2) / 2. ln 2 is in two parts, so that n times the
// first is exact; 2^n is two factors, since n goes from -150 to 150 and a float's exponent does
// not.
float exponential(float x) {
    float bounded = clamp(x, -104.0, 104.0);
    float n = floor(bounded * 1.44269504 + 0.5);
    float r = fma(n, 2.12194440e-4, fma(n, -0.693359375, bounded));
    float series = 1.9875691500e-4;
    series = fma(series, r, 1.3981999507e-3);
    series = fma(series, r, 8.3334519073e-3);
    series = fma(series, r, 4.1665795894e-2);
    series = fma(series, r, 1.6666665459e-1);
    series = fma(series, r, 5.0000001201e-1);
    float power = fma(series * r, r, r) + 1.0;
    int exponent = int(n);
    int low = exponent / 2;
    float scaled = power * intBitsToFloat((low + 127) << 23) *
                   intBitsToFloat((exponent - low + 127) << 23);
    return is_nan(x) ? x : scaled;
}

// log(m) + e * ln 2 with m from sqrt(1/2) to sqrt(2): an odd series in (m - 1) / (m + 1).
float natural_logarithm(float x) {
    if (is_nan(x) || x < 0.0) {
        return uintBitsToFloat(0x7fc00000u);
    }
    if (x == 0.0) {
        return uintBitsToFloat(0xff800000u);
    }
    if (floatBitsToUint(x) == 0x7f800000u) {
        return x;
    }
    uint bits = floatBitsToUint(x);
    int shift = 0;
    if (bits < 0x00800000u) { // subnormal
        bits = floatBitsToUint(x * 8388608.0);
        shift = -23;
    }
    int exponent = int((bits - 0x3f3504f3u) & 0xff800000u) >> 23;
    float m = uintBitsToFloat(bits - (uint(exponent) << 23));
    float f = m - 1.0;
    float s = f / (2.0 + f);
    float z = s * s;
    float series = fma(z, fma(z, fma(z, fma(z, 0.2222222, 0.2857143), 0.4), 0.6666667), 0.0);
    float half_square = 0.5 * f * f;
    float n = float(exponent + shift);
    // log(1 + f) = f - f^2/2 + s * (f^2/2 + series)
    float small = fma(n, -2.12194440e-4, s * (half_square + series)) - half_square;
    return fma(n, 0.693359375, f + small);
}

// log(1 + x): the logarithm's argument is rounded, and the division makes up for it.
float logarithm_of_one_plus(float x) {
    float sum = 1.0 + x;
    float rounded = sum - 1.0;
    if (rounded == 0.0 || floatBitsToUint(sum) == 0x7f800000u) {
        return rounded == 0.0 ? x : sum;
    }
    return natural_logarithm(sum) * (x / rounded);
}

// exp(x) - 1, near zero by its series.
float exponential_minus_one(float x) {
    if (abs(x) < 0.35) {
        float series = fma(x, 1.0 / 5040.0, 1.0 / 720.0);
        series = fma(x, series, 1.0 / 120.0);
        series = fma(x, series, 1.0 / 24.0);
        series = fma(x, series, 1.0 / 6.0);
        series = fma(x, series, 0.5);
        return fma(x * x, series, x);
    }
    return exponential(x) - 1.0;
}

float logistic(float x) {
    return 1.0 / (1.0 + exponential(-x));
}

// Near zero a polynomial, since the difference from one would lose all its digits there.
float hyperbolic_tangent(float x) {
    float magnitude = abs(x);
    if (magnitude < 0.625) {
        float square = x * x;
        float series = -5.70498872745e-3;
        series = fma(series, square, 2.06390887954e-2);
        series = fma(series, square, -5.37397155531e-2);
        series = fma(series, square, 1.33314422036e-1);
        series = fma(series, square, -3.33332819422e-1);
        return fma(series * square, x, x);
    }
    float far = 1.0 - 2.0 / (exponential(2.0 * magnitude) + 1.0);
    return x < 0.0 ? -far : far;
}

// The error function, from polynomials fitted to it: x * (1 + P(x * x)) up to 1, and then
// 1 - exp(-Q(x)).
float error_function(float x) {
    float magnitude = min(abs(x), 4.0); // there it is 1
    if (magnitude < 1.0) {
        float square = x * x;
        float series = fma(7.87587487e-5, square, -8.01686430e-4);
        series = fma(series, square, 5.18908724e-3);
        series = fma(series, square, -2.68542115e-2);
        series = fma(series, square, 1.12835944e-1);
        series = fma(series, square, -3.76126260e-1);
        series = fma(series, square, 1.28379166e-1);
        return fma(series, x, x);
    }
    float fall = fma(-8.37497937e-5, magnitude, 1.72877638e-3);
    fall = fma(fall, magnitude, -1.59161799e-2);
    fall = fma(fall, magnitude, 8.80846977e-2);
    fall = fma(fall, magnitude, 6.59063935e-1);
    fall = fma(fall, magnitude, 1.11197102);
    fall = fma(fall, magnitude, 4.76116035e-3);
    float beyond = 1.0 - exponential(-fall);
    return x < 0.0 ? -beyond : beyond;
}
