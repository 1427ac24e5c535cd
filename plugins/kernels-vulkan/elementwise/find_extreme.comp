// The index of the greatest or the least element along an axis: the first of equal ones, or of the
// NaNs, if there are any. -DGIVES_INT64: an index is an int64, whatever elements there are.
#version 450
#include "common.glsl"
#include "elements.glsl"
#include "folding.glsl"
const uint GREATEST = 0, LEAST = 1;
const uint NONE = 0xffffffffu;
layout(binding = 0) readonly buffer From { STORED from[]; };
#ifdef GIVES_INT64
#define INDEX uvec2
layout(constant_id = 7) const bool TAKES_LAST = false; // of equal ones
#else
#define INDEX STORED
const bool TAKES_LAST = false;
#endif
layout(binding = 1) buffer To { INDEX to[]; };
struct Found {
    WORD element;
    uint index;
};
layout(binding = 2) buffer Partial { uvec4 partials[]; };
shared Found lanes[GROUP];

// Whether the first is further out than the second; 0: they are equal.
int compare(WORD left, WORD right) {
#if SIZE != 8
#if HAS_REALS
    if (is_floating(DTYPE)) {
        float a = real_from_word(left, DTYPE), b = real_from_word(right, DTYPE);
        if (is_nan(a) || is_nan(b)) {
            return int(is_nan(a)) - int(is_nan(b));
        }
        int order = int(a > b) - int(a < b);
        return FOLD == LEAST ? -order : order;
    }
#endif
    int a = whole_from_word(left, DTYPE), b = whole_from_word(right, DTYPE);
#else
    int64_t a = left, b = right;
#endif
    int order = int(a > b) - int(a < b);
    return FOLD == LEAST ? -order : order;
}

Found better_of(Found a, Found b) {
    if (a.index == NONE || b.index == NONE) {
        return a.index == NONE ? b : a;
    }
    int order = compare(a.element, b.element);
    return order > 0 || (order == 0 && (a.index < b.index) != TAKES_LAST) ? a : b;
}

uvec4 packed(Found found) {
#if SIZE == 8
    ivec2 halves = unpackInt2x32(found.element);
    return uvec4(uint(halves.x), uint(halves.y), found.index, 0);
#else
    return uvec4(found.element, 0, found.index, 0);
#endif
}

Found unpacked(uvec4 bits) {
#if SIZE == 8
    return Found(packInt2x32(ivec2(bits.xy)), bits.z);
#else
    return Found(bits.x, bits.z);
#endif
}

INDEX index_as_element(uint index) {
#ifdef GIVES_INT64
    return uvec2(index, 0);
#elif SIZE == 8
    return int64_t(index);
#else
    return STORED(is_floating(DTYPE) ? word_from_real(float(index), DTYPE)
                                     : word_from_whole(int(index), DTYPE));
#endif
}

void main() {
    uint item = fold_item(), lane = fold_lane();
    uint output_number = item % outputs, segment = item / outputs;
    bool is_there = segment < segments;
    Found best = Found(WORD(0), NONE);
    if (is_there) {
        uint begin = segment * segment_length + lane;
        uint end = min(folded, (segment + 1) * segment_length);
        uint base = STAGE == SECOND ? output_number : place_of_output(output_number);
        for (uint i = begin; i < end; i += 1u << LANES_SHIFT) {
            if (STAGE == SECOND) {
                best = better_of(best, unpacked(partials[base + i * outputs]));
            } else {
                best = better_of(best, Found(WORD(from[base + place_of_folded(i)]), i));
            }
        }
    }
    lanes[gl_LocalInvocationIndex] = best;
    for (uint width = (1u << LANES_SHIFT) >> 1; width > 0; width >>= 1) {
        barrier();
        if (lane < width) {
            best = better_of(best, lanes[gl_LocalInvocationIndex + lane_distance(width)]);
            lanes[gl_LocalInvocationIndex] = best;
        }
    }
    if (is_there && lane == 0) {
        if (STAGE == FIRST) {
            partials[item] = packed(best);
        } else {
            to[output_number] = index_as_element(best.index);
        }
    }
}
