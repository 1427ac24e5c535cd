/* The operator Resize. */
#include "resize.h"

#include <math.h>

#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

static const tn_attribute table[] = {
    TN_FIELD_CHOICE(resize_attributes, mode, "nearest", RESIZE_MODES,
                    "How elements are made from those around."),
    TN_FIELD_CHOICE(resize_attributes, coordinate_transformation_mode, "half_pixel",
                    COORDINATE_MODES, "Where an element of the output is in the input."),
    TN_FIELD_CHOICE(
        resize_attributes, nearest_mode, "round_prefer_floor", NEAREST_MODES,
        "Which element is the nearest one; simple: ceil where an axis shrinks, else floor."),
    TN_FIELD_CHOICE(resize_attributes, keep_aspect_ratio_policy, "stretch", RESIZE_POLICIES,
                    "Whether sizes are taken as they are, or bound one scale for all axes."),
    TN_FIELD_OR_NONE(resize_attributes, axes, INTS, "None", "[-32,31]",
                     "The axes that scales, sizes and roi are of; None: all."),
    TN_FIELD(resize_attributes, cubic_coeff_a, FLOAT, "-0.75", NULL, "The a of the cubic filter."),
    TN_FIELD(resize_attributes, extrapolation_value, FLOAT, "0", NULL,
             "What is beyond the input with tf_crop_and_resize."),
    TN_FIELD(resize_attributes, antialias, BOOL, "False", NULL,
             "Whether the filter grows where the output is smaller."),
    TN_FIELD(resize_attributes, exclude_outside, BOOL, "False", NULL,
             "Whether weights beyond the input are left out, otherwise the edge has them."),
};

static const char *const input_names[] = {"X", "roi", "scales", "sizes"};
static const char *const output_names[] = {"Y"};
static const uint32_t optional[] = {RESIZE_ROI, RESIZE_SCALES, RESIZE_SIZES};
static const uint32_t value_inputs[] = {RESIZE_ROI, RESIZE_SCALES, RESIZE_SIZES};

static int is_given(const tn_view *view) {
    return view != NULL && tn_element_count(view) > 0;
}

static tn_status scale_axis(const tn_host *host, double scale, resized_axis *axis) {
    /* In float, as those have it who made the scale of the extents that they want. */
    const double extent = (double)floorf((float)scale * (float)axis->input);
    if (!(scale > 0) || !(extent < 0x1p53)) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "a scale is %g", scale);
    }
    axis->scale = scale;
    axis->output = (int64_t)extent;
    return TN_OK;
}

/* With a policy all axes have the scale that keeps them within, or beyond, the sizes. */
static tn_status size_axes(const tn_host *host, const resize_attributes *own, const tn_view *sizes,
                           const integer_list *named, resized_axis *axes) {
    double common = 0;
    for (int32_t i = 0; i < named->count; i++) {
        resized_axis *axis = &axes[named->values[i]];
        const int64_t size = read_integer(sizes->dtype, tn_data(sizes), i);
        if (size < 0 || (axis->input == 0 && size > 0)) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "an axis of %lld gets the size %lld",
                           (long long)axis->input, (long long)size);
        }
        axis->output = size;
        axis->scale = axis->input == 0 ? 1 : (double)size / (double)axis->input;
        const int is_stronger = own->keep_aspect_ratio_policy == POLICY_NOT_LARGER
                                    ? axis->scale < common
                                    : axis->scale > common;
        common = i == 0 || is_stronger ? axis->scale : common;
    }
    for (int32_t i = 0; own->keep_aspect_ratio_policy != POLICY_STRETCH && i < named->count; i++) {
        resized_axis *axis = &axes[named->values[i]];
        axis->scale = common;
        axis->output = (int64_t)floor(common * (double)axis->input + 0.5);
    }
    return TN_OK;
}

tn_status resize_plan_axes(const tn_host *host, const resize_attributes *own, const tn_shape *data,
                           const tn_view *roi, const tn_view *scales, const tn_view *sizes,
                           resized_axis *axes) {
    integer_list named;
    TN_TRY(integers_of(host, "axes", NULL, &own->axes, &named));
    if (own->axes.count < 0) {
        named.count = data->rank;
        for (int32_t i = 0; i < data->rank; i++) {
            named.values[i] = i;
        }
    }
    TN_TRY(resolve_axes(host, &named, data->rank));
    for (int32_t i = 0; i < data->rank; i++) {
        axes[i] = (resized_axis){data->extents[i], data->extents[i], 1, 0, 1};
    }
    const tn_view *given = is_given(sizes) ? sizes : scales;
    if (!is_given(given) || tn_element_count(given) != named.count ||
        (is_given(roi) && own->coordinate_transformation_mode == COORDINATE_TF_CROP_AND_RESIZE &&
         tn_element_count(roi) != 2 * named.count)) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "there is not one size or scale for each of %d axes", (int)named.count);
    }
    for (int32_t i = 0; i < named.count; i++) {
        resized_axis *axis = &axes[named.values[i]];
        if (given == scales) {
            TN_TRY(scale_axis(host, read_number(scales->dtype, tn_data(scales), i), axis));
        }
        if (is_given(roi) && tn_element_count(roi) == 2 * named.count) {
            axis->roi_start = read_number(roi->dtype, tn_data(roi), i);
            axis->roi_end = read_number(roi->dtype, tn_data(roi), named.count + i);
        }
    }
    return given == sizes ? size_axes(host, own, sizes, &named, axes) : TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const tn_shape *data = &call->inputs[RESIZE_DATA].shape;
    const tn_view *scales = call->input_values[RESIZE_SCALES],
                  *sizes = call->input_values[RESIZE_SIZES];
    resized_axis axes[TN_MAX_RANK];
    TN_TRY(infer_output_dtype_like(call, RESIZE_DATA));
    if (data->rank < 0) {
        return TN_OK;
    }
    tn_shape result = tn_shape_of_rank(data->rank);
    if (tn_shape_is_known(data) && (is_given(scales) || is_given(sizes))) {
        TN_TRY(resize_plan_axes(call->host, call->attributes, data, NULL, scales, sizes, axes));
        for (int32_t i = 0; i < data->rank; i++) {
            result.extents[i] = axes[i].output;
        }
    }
    return infer_output_shape(call, &result);
}

const tn_op resize_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input with other extents: elements in between are the nearest one, or made by a "
           "linear or cubic filter, along one axis after the other.",
    OP_ATTRIBUTES(table, resize_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    OP_VALUE_INPUTS(value_inputs),
    .infer = infer,
};
