// Sine, cosine, tangent and their inverses. What is built in is too far off, and for large angles
// means nothing.
const float HALF_PI = 1.5707963267948966;

// 2 / pi behind its point, after 32 zero bits.
const uint TWO_OVER_PI[8] = uint[8](0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                    0xdb629599u, 0x3c439041u, 0xfe5163abu);

uint bits_of_two_over_pi(uint first) {
    uint word = first >> 5, shift = first & 31u;
    return shift == 0u ? TWO_OVER_PI[word]
                       : (TWO_OVER_PI[word] << shift) | (TWO_OVER_PI[word + 1] >> (32u - shift));
}

// A large angle: of significand * 2^exponent * (2 / pi) only what is left of whole turns counts,
// so that 96 bits of 2 / pi are enough, from where the product falls below 4.
float reduce_large(float x, out int quadrant) {
    uint bits = floatBitsToUint(x) & 0x7fffffffu;
    uint significand = (bits & 0x7fffffu) | 0x800000u;
    uint first = (bits >> 23) - 150u + 30u;
    uint high, low, middle_high, middle, carry;
    umulExtended(significand, bits_of_two_over_pi(first + 64u), high, low);
    umulExtended(significand, bits_of_two_over_pi(first + 32u), middle_high, middle);
    middle = uaddCarry(middle, high, carry);
    uint top = significand * bits_of_two_over_pi(first) + middle_high + carry;
    int fraction = int((top << 2) | (middle >> 30)); // of a quadrant, from -1/2 to 1/2
    uint rest = (middle << 2) | (low >> 30);
    quadrant = int(top >> 30) + (fraction < 0 ? 1 : 0);
    float angle = (float(fraction) * 2.3283064365386963e-10 +
                   float(rest) * 5.421010862427522e-20) * HALF_PI;
    quadrant = x < 0.0 ? -quadrant : quadrant;
    return x < 0.0 ? -angle : angle;
}

// x = quadrant * (pi / 2) + what is returned, which is at most pi / 4 from 0. Of pi / 2 in three
// parts the products with a small quadrant are exact.
float reduce_angle(float x, out int quadrant) {
    if (abs(x) > 4096.0) {
        return reduce_large(x, quadrant);
    }
    float n = floor(x * 0.63661977236758134 + 0.5);
    quadrant = int(n);
    precise float rest = x - n * 1.5703125;
    precise float closer = rest - n * 4.837512969970703125e-4;
    precise float angle = closer - n * 7.549789948768648e-8;
    return angle;
}

float sine_near_zero(float x) {
    float square = x * x;
    float series = 1.0 / 362880.0;
    series = fma(series, square, -1.0 / 5040.0);
    series = fma(series, square, 1.0 / 120.0);
    series = fma(series, square, -1.0 / 6.0);
    return fma(series * square, x, x);
}

float cosine_near_zero(float x) {
    float square = x * x;
    float series = -1.0 / 3628800.0;
    series = fma(series, square, 1.0 / 40320.0);
    series = fma(series, square, -1.0 / 720.0);
    series = fma(series, square, 1.0 / 24.0);
    series = fma(series, square, -1.0 / 2.0);
    return fma(series, square, 1.0);
}

// The sine of an angle that is `quarters` right angles further.
float shifted_sine(float x, int quarters) {
    if (is_infinite(x)) {
        return NOT_A_NUMBER;
    }
    int quadrant;
    float angle = reduce_angle(x, quadrant);
    quadrant += quarters;
    float result = (quadrant & 1) != 0 ? cosine_near_zero(angle) : sine_near_zero(angle);
    return (quadrant & 2) != 0 ? -result : result;
}

float sine(float x) {
    return shifted_sine(x, 0);
}

float cosine(float x) {
    return shifted_sine(x, 1);
}

float tangent(float x) {
    if (is_infinite(x)) {
        return NOT_A_NUMBER;
    }
    int quadrant;
    float angle = reduce_angle(x, quadrant);
    float s = sine_near_zero(angle), c = cosine_near_zero(angle);
    return (quadrant & 1) != 0 ? -c / s : s / c;
}

// Angles are brought to at most pi / 8, where the series is short.
float inverse_tangent(float x) {
    float magnitude = abs(x);
    float angle = 0.0;
    if (magnitude > 2.41421356) {
        angle = HALF_PI;
        magnitude = is_infinite(x) ? 0.0 : -1.0 / magnitude;
    } else if (magnitude > 0.41421356) {
        angle = HALF_PI / 2.0;
        magnitude = (magnitude - 1.0) / (magnitude + 1.0);
    }
    float square = magnitude * magnitude;
    float series = 1.0 / 17.0;
    series = fma(series, square, -1.0 / 15.0);
    series = fma(series, square, 1.0 / 13.0);
    series = fma(series, square, -1.0 / 11.0);
    series = fma(series, square, 1.0 / 9.0);
    series = fma(series, square, -1.0 / 7.0);
    series = fma(series, square, 1.0 / 5.0);
    series = fma(series, square, -1.0 / 3.0);
    float result = angle + fma(series * square, magnitude, magnitude);
    return x < 0.0 ? -result : result;
}

float inverse_sine(float x) {
    float cosine_squared = (1.0 - x) * (1.0 + x);
    if (cosine_squared <= 0.0) {
        return cosine_squared < 0.0 || is_infinite(x) ? NOT_A_NUMBER : x * HALF_PI;
    }
    return inverse_tangent(x / sqrt(cosine_squared));
}

float inverse_cosine(float x) {
    if (abs(x) >= 1.0) {
        return abs(x) > 1.0 ? NOT_A_NUMBER : x > 0.0 ? 0.0 : 2.0 * HALF_PI;
    }
    return 2.0 * inverse_tangent(sqrt((1.0 - x) / (1.0 + x)));
}
