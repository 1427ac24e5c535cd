/* Attributes of Resize, and how an axis is resampled. */
#ifndef OPS_ONNX_RESIZE_H
#define OPS_ONNX_RESIZE_H

#include <tenon/plugin.h>

enum { RESIZE_NEAREST, RESIZE_LINEAR, RESIZE_CUBIC };
#define RESIZE_MODES "nearest|linear|cubic"

enum {
    COORDINATE_HALF_PIXEL,
    COORDINATE_HALF_PIXEL_SYMMETRIC,
    COORDINATE_PYTORCH_HALF_PIXEL,
    COORDINATE_ALIGN_CORNERS,
    COORDINATE_ASYMMETRIC,
    COORDINATE_TF_HALF_PIXEL_FOR_NN,
    COORDINATE_TF_CROP_AND_RESIZE
};
#define COORDINATE_MODES                                                                           \
    "half_pixel|half_pixel_symmetric|pytorch_half_pixel|align_corners|asymmetric|"                 \
    "tf_half_pixel_for_nn|tf_crop_and_resize"

enum { ROUND_PREFER_FLOOR, ROUND_PREFER_CEIL, ROUND_FLOOR, ROUND_CEIL, ROUND_SIMPLE };
#define NEAREST_MODES "round_prefer_floor|round_prefer_ceil|floor|ceil|simple"

enum { POLICY_STRETCH, POLICY_NOT_LARGER, POLICY_NOT_SMALLER };
#define RESIZE_POLICIES "stretch|not_larger|not_smaller"

typedef struct resize_attributes {
    double cubic_coeff_a;
    double extrapolation_value;
    tn_ints axes;
    int32_t mode;
    int32_t coordinate_transformation_mode;
    int32_t nearest_mode;
    int32_t keep_aspect_ratio_policy;
    int32_t antialias;
    int32_t exclude_outside;
} resize_attributes;

typedef struct resized_axis {
    int64_t input, output;
    double scale;
    double roi_start, roi_end;
} resized_axis;

/* The place in the input, as a real number, of an output's place. */
double original_coordinate(const resize_attributes *own, const resized_axis *axis, int64_t place);

/* The elements of the input that an output's place is made of: `count` from number `first` on,
 * which may be beyond the ends. */
typedef struct resize_taps {
    int64_t first, count;
    double position;    /* of the filter's middle */
    double shrink;      /* of the filter's argument: below 1 it is stretched */
    double total;       /* of all weights */
    int32_t is_outside; /* the extrapolation value stands there */
} resize_taps;

resize_taps find_taps(const resize_attributes *own, const resized_axis *axis, int64_t place);

/* The weight of tap `tap`, and the element of the input that it is of. */
double tap_weight(const resize_attributes *own, const resized_axis *axis, const resize_taps *taps,
                  int64_t tap, int64_t *out_index);

#endif
