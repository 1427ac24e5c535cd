#include <math.h>

#include "resize.h"

/* In float, as the standard's reference and others have it: whether a place is exactly between two
 * elements depends on how it is rounded. */
double original_coordinate(const resize_attributes *own, const resized_axis *axis, int64_t place) {
    const float x = (float)place, input = (float)axis->input, scale = (float)axis->scale;
    const float exact = scale * input, output = (float)axis->output;
    const float start = (float)axis->roi_start, end = (float)axis->roi_end;
    switch (own->coordinate_transformation_mode) {
    case COORDINATE_ASYMMETRIC: return (double)(x / scale);
    case COORDINATE_ALIGN_CORNERS:
        return axis->output == 1 ? 0 : (double)(x * (input - 1) / (exact - 1));
    case COORDINATE_TF_HALF_PIXEL_FOR_NN: return (double)((x + 0.5F) / scale);
    case COORDINATE_PYTORCH_HALF_PIXEL:
        return axis->output == 1 ? 0 : (double)((x + 0.5F) / scale - 0.5F);
    case COORDINATE_HALF_PIXEL_SYMMETRIC:
        return (double)(input / 2 * (1 - output / exact) + (x + 0.5F) / scale - 0.5F);
    case COORDINATE_TF_CROP_AND_RESIZE:
        return (double)(axis->output == 1
                            ? (start + end) * (input - 1) / 2
                            : start * (input - 1) + x * (end - start) * (input - 1) / (output - 1));
    default: return (double)((x + 0.5F) / scale - 0.5F);
    }
}

static double round_coordinate(int32_t mode, double scale, double x) {
    switch (mode) {
    case ROUND_SIMPLE: return scale < 1 ? ceil(x) : floor(x);
    case ROUND_FLOOR: return floor(x);
    case ROUND_CEIL: return ceil(x);
    case ROUND_PREFER_CEIL: return floor(x + 0.5);
    default: return ceil(x - 0.5);
    }
}

static double filter(const resize_attributes *own, double distance) {
    const double x = fabs(distance), a = own->cubic_coeff_a;
    if (own->mode == RESIZE_LINEAR) {
        return x < 1 ? 1 - x : 0;
    }
    if (x <= 1) {
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    }
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

double tap_weight(const resize_attributes *own, const resized_axis *axis, const resize_taps *taps,
                  int64_t tap, int64_t *out_index) {
    const int64_t index = taps->first + tap;
    const int is_inside = index >= 0 && index < axis->input;
    *out_index = index < 0 ? 0 : index >= axis->input ? axis->input - 1 : index;
    if (own->mode == RESIZE_NEAREST) {
        return 1;
    }
    return own->exclude_outside && !is_inside
               ? 0
               : filter(own, ((double)index - taps->position) * taps->shrink);
}

resize_taps find_taps(const resize_attributes *own, const resized_axis *axis, int64_t place) {
    const double limit = 4 * ((double)axis->input + 4);
    double x = original_coordinate(own, axis, place);
    resize_taps taps = {.count = 1, .shrink = 1, .total = 1};
    taps.is_outside = own->coordinate_transformation_mode == COORDINATE_TF_CROP_AND_RESIZE &&
                      !(x >= 0 && x <= (double)(axis->input - 1));
    x = x < -limit || x != x ? -limit : x > limit ? limit : x;
    taps.position = x;
    if (own->mode == RESIZE_NEAREST) {
        taps.first = (int64_t)round_coordinate(own->nearest_mode, axis->scale, x);
        return taps;
    }
    const double reach = own->mode == RESIZE_LINEAR ? 1 : 2;
    taps.shrink = own->antialias && axis->scale < 1 ? axis->scale : 1;
    const double width = reach / taps.shrink > limit ? limit : reach / taps.shrink;
    const double first = floor(-width) + 1;
    taps.first = (int64_t)(floor(x) + first);
    taps.count = (int64_t)(2 - 2 * first);
    taps.total = 0;
    for (int64_t tap = 0; tap < taps.count; tap++) {
        int64_t index;
        taps.total += tap_weight(own, axis, &taps, tap, &index);
    }
    return taps;
}
