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

/* The inputs. */
enum { RESIZE_DATA, RESIZE_ROI, RESIZE_SCALES, RESIZE_SIZES };

/* What becomes of each axis of data of known shape. */
tn_status resize_plan_axes(const tn_host *host, const resize_attributes *own, const tn_shape *data,
                           const tn_view *roi, const tn_view *scales, const tn_view *sizes,
                           resized_axis *axes);

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

/* Data and output with their axes in the order in which they lie in memory. */
typedef struct resize_job {
    const resize_attributes *own;
    int32_t rank;
    resized_axis axes[TN_MAX_RANK];
    tn_dtype dtype;
    const void *data;
    void *output;
    void *workspace;
} resize_job;

static inline int resize_changes(const resize_attributes *own, const resized_axis *axis) {
    return axis->input != axis->output || axis->scale != 1 ||
           (own->coordinate_transformation_mode == COORDINATE_TF_CROP_AND_RESIZE &&
            (axis->roi_start != 0 || axis->roi_end != 1));
}

/* Whether each element is one of the input, at a place that each axis finds by itself. */
static inline int resize_moves(const resize_attributes *own) {
    return own->mode == RESIZE_NEAREST &&
           own->coordinate_transformation_mode != COORDINATE_TF_CROP_AND_RESIZE;
}

/* Then: moves them. The workspace has an index for each place of each axis of the output. */
void resize_move(const tn_host *host, const resize_job *job);

#endif
