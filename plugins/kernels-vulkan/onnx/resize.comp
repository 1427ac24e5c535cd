// Resamples one axis: each place of the output is a sum of some elements of the input.
//
// -DELEMENT, -DRESULT: what is read and written. -DPLACE=double: places in the input are computed in
// double, without in float.
#version 450
#include "common.glsl"
#ifdef RESULT_F16
#extension GL_EXT_shader_16bit_storage : require
#endif
#ifndef PLACE
#define PLACE float
#endif
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint MODE = 0;
layout(constant_id = 1) const uint COORDINATES = 0;
layout(constant_id = 2) const uint NEAREST_MODE = 0;
layout(constant_id = 3) const bool SHRINKS = false; // the filter is stretched
layout(constant_id = 4) const bool EXCLUDES_OUTSIDE = false;
const uint NEAREST = 0, LINEAR = 1, CUBIC = 2;
const uint HALF_PIXEL = 0, HALF_PIXEL_SYMMETRIC = 1, PYTORCH_HALF_PIXEL = 2, ALIGN_CORNERS = 3,
           ASYMMETRIC = 4, TF_HALF_PIXEL_FOR_NN = 5, TF_CROP_AND_RESIZE = 6;
const uint PREFER_FLOOR = 0, PREFER_CEIL = 1, FLOOR = 2, CEIL = 3, SIMPLE = 4;
layout(push_constant) uniform Push {
#ifdef PLACES_ARE_WIDE
    double scale;
    double roi_start;
    double roi_end;
#endif
    uint count;
    uint input_extent;
    uint output_extent;
    uint inner;
    float cubic_a;
    float extrapolation;
#ifndef PLACES_ARE_WIDE
    float scale;
    float roi_start;
    float roi_end;
#endif
};
layout(binding = 0) readonly buffer From { ELEMENT from[]; };
layout(binding = 1) writeonly buffer To { RESULT to[]; };

PLACE original_coordinate(uint place) {
    PLACE x = PLACE(place), extent = PLACE(input_extent);
    PLACE exact = scale * extent, half_pixel = PLACE(0.5);
    switch (COORDINATES) {
    case ASYMMETRIC: return x / scale;
    case ALIGN_CORNERS:
        return output_extent == 1 ? PLACE(0) : x * (extent - PLACE(1)) / (exact - PLACE(1));
    case TF_HALF_PIXEL_FOR_NN: return (x + half_pixel) / scale;
    case PYTORCH_HALF_PIXEL:
        return output_extent == 1 ? PLACE(0) : (x + half_pixel) / scale - half_pixel;
    case HALF_PIXEL_SYMMETRIC:
        return extent * half_pixel * (PLACE(1) - PLACE(output_extent) / exact) +
               (x + half_pixel) / scale - half_pixel;
    case TF_CROP_AND_RESIZE:
        return output_extent == 1
                   ? (roi_start + roi_end) * (extent - PLACE(1)) * half_pixel
                   : roi_start * (extent - PLACE(1)) + x * (roi_end - roi_start) *
                                                           (extent - PLACE(1)) /
                                                           PLACE(output_extent - 1);
    default: return (x + half_pixel) / scale - half_pixel;
    }
}

int nearest(PLACE x) {
    switch (NEAREST_MODE) {
    case SIMPLE: return int(scale < PLACE(1) ? ceil(x) : floor(x));
    case FLOOR: return int(floor(x));
    case CEIL: return int(ceil(x));
    case PREFER_CEIL: return int(floor(x + PLACE(0.5)));
    default: return int(ceil(x - PLACE(0.5)));
    }
}

float filtered(float distance) {
    float x = abs(distance);
    if (MODE == LINEAR) {
        return max(1.0 - x, 0.0);
    }
    if (x <= 1.0) {
        return ((cubic_a + 2.0) * x - (cubic_a + 3.0)) * x * x + 1.0;
    }
    return x < 2.0 ? ((cubic_a * x - 5.0 * cubic_a) * x + 8.0 * cubic_a) * x - 4.0 * cubic_a : 0.0;
}

float element(uint base, int index) {
    return float(from[base + uint(clamp(index, 0, int(input_extent) - 1)) * inner]);
}

float resampled(uint base, PLACE x) {
    if (MODE == NEAREST) {
        return element(base, nearest(x));
    }
    float shrink = SHRINKS ? float(scale) : 1.0;
    float width = (MODE == LINEAR ? 1.0 : 2.0) / shrink;
    int reach = int(floor(-width)) + 1;
    int whole = int(floor(x));
    float part = float(x - floor(x));
    float sum = 0.0, total = 0.0;
    for (int tap = reach; tap < 2 - reach; tap++) {
        int index = whole + tap;
        bool is_inside = index >= 0 && index < int(input_extent);
        if (EXCLUDES_OUTSIDE && !is_inside) {
            continue;
        }
        float weight = filtered((float(tap) - part) * shrink);
        total += weight;
        if (weight != 0.0) {
            sum = fma(weight, element(base, index), sum);
        }
    }
    return sum / total;
}

void main() {
    uint i = flat_invocation();
    if (i >= count) {
        return;
    }
    uint column = i % inner, place = i / inner % output_extent, outer = i / inner / output_extent;
    uint base = outer * input_extent * inner + column;
    PLACE limit = PLACE(4) * (PLACE(input_extent) + PLACE(4));
    PLACE x = original_coordinate(place);
    bool is_outside = COORDINATES == TF_CROP_AND_RESIZE &&
                      !(x >= PLACE(0) && x <= PLACE(input_extent - 1));
    x = x > -limit ? min(x, limit) : -limit;
    to[i] = RESULT(is_outside ? extrapolation : resampled(base, x));
}
