// Folds a tensor along some of its axes.
//
// -DSIZE: bytes of an element. -DACCUMULATE_DOUBLES for floating elements on devices with float64,
// -DACCUMULATE_PAIRS without: a sum is kept with what rounding took from it. -DACCUMULATE_WHOLES
// for integers.
#version 450
#ifdef ACCUMULATE_WHOLES
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
#include "common.glsl"
#include "elements.glsl"
#include "folding.glsl"
layout(constant_id = 7) const uint FINISH = 0;
const uint SUM = 0, PRODUCT = 1, SUM_WITHOUT_NAN = 2, PRODUCT_WITHOUT_NAN = 3, GREATEST = 4,
           LEAST = 5, SUM_OF_MAGNITUDES = 6, SUM_OF_SQUARES = 7;
const uint NOTHING = 0, MEAN = 1, SQUARE_ROOT = 2, LOGARITHM = 3;

#if defined(ACCUMULATE_DOUBLES)
#define ACCUMULATOR double
#elif defined(ACCUMULATE_PAIRS)
#define ACCUMULATOR vec2
#else
#define ACCUMULATOR int64_t
#endif
layout(binding = 0) readonly buffer From { STORED from[]; };
layout(binding = 1) buffer To { STORED to[]; };
layout(binding = 2) buffer Partial { ACCUMULATOR partials[]; };
shared ACCUMULATOR lanes[GROUP];

bool is_product() {
    return FOLD == PRODUCT || FOLD == PRODUCT_WITHOUT_NAN;
}

#if defined(ACCUMULATE_WHOLES)
const int64_t LOWEST = int64_t(1) << 63;

int64_t start() {
    return is_product() ? int64_t(1) : FOLD == GREATEST ? LOWEST : FOLD == LEAST ? ~LOWEST
                                                                                 : int64_t(0);
}

int64_t merge(int64_t a, int64_t b) {
    if (FOLD == GREATEST) {
        return a > b ? a : b;
    }
    if (FOLD == LEAST) {
        return a < b ? a : b;
    }
    return is_product() ? a * b : a + b;
}

int64_t load(uint place) {
#if SIZE == 8
    return from[place];
#else
    return int64_t(whole_from_word(uint(from[place]), DTYPE));
#endif
}

STORED finished(int64_t a) {
    int64_t result = FINISH == MEAN ? a / int64_t(max(divisor, 1u)) : a;
#if SIZE == 8
    return result;
#else
    return STORED(DTYPE == BOOL ? uint(result != int64_t(0)) : uint(result));
#endif
}
#else
#if defined(ACCUMULATE_DOUBLES)
#define WIDE(x) double(x)
#define NARROW(a) float(a)
#define SUM_OF(a, b) ((a) + (b))
#else
#define WIDE(x) vec2(x, 0.0)
#define NARROW(a) ((a).x)
#define SUM_OF(a, b) sum_of_pairs(a, b)

vec2 sum_of_pairs(vec2 a, vec2 b) {
    precise float sum = a.x + b.x;
    precise float taken = sum - a.x;
    precise float rest = (a.x - (sum - taken)) + (b.x - taken) + (a.y + b.y);
    precise float high = sum + rest;
    precise float low = rest - (high - sum);
    return is_nan(low) || is_infinite(low) ? vec2(sum, 0.0) : vec2(high, low);
}
#endif

ACCUMULATOR start() {
    return WIDE(is_product() ? 1.0 : FOLD == GREATEST ? -INFINITE : FOLD == LEAST ? INFINITE : 0.0);
}

// A NaN is the greatest and the least.
float extreme_of(float a, float b) {
    return is_nan(a) ? a : is_nan(b) ? b : FOLD == GREATEST ? max(a, b) : min(a, b);
}

ACCUMULATOR merge(ACCUMULATOR a, ACCUMULATOR b) {
    if (FOLD == GREATEST || FOLD == LEAST) {
        return WIDE(extreme_of(NARROW(a), NARROW(b)));
    }
#if defined(ACCUMULATE_DOUBLES)
    return is_product() ? a * b : a + b;
#else
    return is_product() ? vec2(a.x * b.x, 0.0) : SUM_OF(a, b);
#endif
}

ACCUMULATOR load(uint place) {
    float x = real_from_word(uint(from[place]), DTYPE);
    if (is_nan(x) && (FOLD == SUM_WITHOUT_NAN || FOLD == PRODUCT_WITHOUT_NAN)) {
        return start();
    }
    if (FOLD == SUM_OF_SQUARES) {
        return WIDE(x) * WIDE(x);
    }
    return WIDE(FOLD == SUM_OF_MAGNITUDES ? abs(x) : x);
}

STORED finished(ACCUMULATOR a) {
#if defined(ACCUMULATE_DOUBLES)
    double result = FINISH == MEAN ? a / double(divisor) : a;
    float rounded = FINISH == SQUARE_ROOT ? float(sqrt(result))
                    : FINISH == LOGARITHM ? natural_logarithm(float(result))
                                          : float(result);
#else
    float sum = a.x + a.y;
    float result = FINISH == MEAN ? sum / float(divisor) : sum;
    float rounded = FINISH == SQUARE_ROOT && result > 0.0 && !is_infinite(result) ? sqrt(result)
                    : FINISH == LOGARITHM ? natural_logarithm(result)
                                          : result;
#endif
    return STORED(word_from_real(rounded, DTYPE));
}
#endif

void main() {
    uint item = fold_item(), lane = fold_lane();
    uint output_number = item % outputs, segment = item / outputs;
    bool is_there = segment < segments;
    ACCUMULATOR total = start();
    if (is_there) {
        uint begin = segment * segment_length + lane;
        uint end = min(folded, (segment + 1) * segment_length);
        uint base = STAGE == SECOND ? output_number : place_of_output(output_number);
        for (uint i = begin; i < end; i += 1u << LANES_SHIFT) {
            total = merge(total, STAGE == SECOND ? partials[base + i * outputs]
                                                 : load(base + place_of_folded(i)));
        }
    }
    lanes[gl_LocalInvocationIndex] = total;
    for (uint width = (1u << LANES_SHIFT) >> 1; width > 0; width >>= 1) {
        barrier();
        if (lane < width) {
            total = merge(total, lanes[gl_LocalInvocationIndex + lane_distance(width)]);
            lanes[gl_LocalInvocationIndex] = total;
        }
    }
    if (is_there && lane == 0) {
        if (STAGE == FIRST) {
            partials[item] = total;
        } else {
            to[output_number] = finished(total);
        }
    }
}
