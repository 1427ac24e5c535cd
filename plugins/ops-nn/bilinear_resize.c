/* The operator _contrib_BilinearResize2D. */
#include "bilinear_resize.h"

#include <math.h>

#include "description.h"
#include "operators.h"
#include "size.h"

#define LARGEST_EXTENT 0x1p31f

static const tn_attribute fields[] = {
    TN_FIELD(resize_attributes, height, INT, "1", "[1,2147483647]",
             "The height of the output, in mode size without scales."),
    TN_FIELD(resize_attributes, width, INT, "1", "[1,2147483647]",
             "The width of the output, in mode size without scales."),
    TN_FIELD_OR_NONE(resize_attributes, scale_height, FLOAT, "None", "(0,inf)",
                     "The factor of the height, in mode odd_scale, or in mode size in place of "
                     "height."),
    TN_FIELD_OR_NONE(resize_attributes, scale_width, FLOAT, "None", "(0,inf)",
                     "The factor of the width, likewise."),
    TN_FIELD_CHOICE(resize_attributes, mode, "size", RESIZE_MODES,
                    "Where the output's extents come from: height and width or the scales (size), "
                    "the scales, keeping odd extents odd (odd_scale), the second input (like), or "
                    "the data's own extents, made even or odd by taking one away (down) or adding "
                    "one (up)."),
    TN_FIELD(resize_attributes, align_corners, BOOL, "True", NULL,
             "Lays the centres of the corner elements of data and output on each other, instead of "
             "their outer edges."),
};

static const char *const input_names[] = {"data", "like"};
static const char *const output_names[] = {"output"};

static tn_status arity(tn_arity_call *call) {
    const resize_attributes *attributes = call->attributes;
    const int has_height = !isnan(attributes->scale_height);
    const int has_width = !isnan(attributes->scale_width);
    if (has_height != has_width || (attributes->mode == RESIZE_ODD_SCALE && !has_height)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "scale_height and scale_width must be given together, and with "
                       "mode=odd_scale they must be given");
    }
    call->input_count = attributes->mode == RESIZE_LIKE ? 2 : 1;
    return TN_OK;
}

/* `extent` times `scale`, in single precision as MXNet has it. */
static tn_status scaled(const tn_host *host, int64_t extent, double scale, int64_t *out_extent) {
    const float product = (float)extent * (float)scale;
    if (!(product < LARGEST_EXTENT)) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "an extent of %lld is too large to be scaled by %g", (long long)extent,
                       scale);
    }
    *out_extent = (int64_t)product;
    return TN_OK;
}

/* The output's extent along an axis where data has `extent` and what is asked for is `wanted`. */
static tn_status find_extent(const tn_host *host, const resize_attributes *attributes,
                             int64_t extent, int64_t wanted, double scale, int64_t *out_extent) {
    const int64_t is_odd = extent % 2;
    *out_extent = TN_UNKNOWN;
    if (attributes->mode == RESIZE_LIKE || (attributes->mode == RESIZE_SIZE && isnan(scale))) {
        *out_extent = wanted;
        return TN_OK;
    }
    if (extent < 0) {
        return TN_OK;
    }
    if (extent > (int64_t)LARGEST_EXTENT) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "an extent of %lld is too large to be resized",
                       (long long)extent);
    }
    switch (attributes->mode) {
    case RESIZE_SIZE: return scaled(host, extent, scale, out_extent);
    case RESIZE_ODD_SCALE:
        TN_TRY(scaled(host, extent - is_odd, scale, out_extent));
        *out_extent += is_odd;
        break;
    case RESIZE_TO_EVEN_DOWN: *out_extent = extent - is_odd; break;
    case RESIZE_TO_EVEN_UP: *out_extent = extent + is_odd; break;
    case RESIZE_TO_ODD_DOWN: *out_extent = larger(0, extent - !is_odd); break;
    default: *out_extent = extent + !is_odd; break;
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const resize_attributes *attributes = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    tn_shape *output = &call->outputs[0].shape;
    int64_t height = attributes->height;
    int64_t width = attributes->width;
    TN_TRY(tn_infer_one_dtype(call));
    tn_shape fact = tn_shape_of_rank(4);
    TN_TRY(tn_infer_shape(call->host, "data", data, &fact));
    if (attributes->mode == RESIZE_LIKE) {
        TN_TRY(tn_infer_shape(call->host, "like", &call->inputs[1].shape, &fact));
        height = call->inputs[1].shape.extents[2];
        width = call->inputs[1].shape.extents[3];
    }
    fact = *data;
    TN_TRY(find_extent(call->host, attributes, data->extents[2], height, attributes->scale_height,
                       &fact.extents[2]));
    TN_TRY(find_extent(call->host, attributes, data->extents[3], width, attributes->scale_width,
                       &fact.extents[3]));
    for (int32_t axis = 2; axis < 4; axis++) {
        if (data->extents[axis] == 0 && fact.extents[axis] != 0) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "data has no elements to interpolate between");
        }
    }
    TN_TRY(tn_infer_shape(call->host, "output", output, &fact));
    data->extents[0] = output->extents[0];
    data->extents[1] = output->extents[1];
    return TN_OK;
}

const tn_op bilinear_resize_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Changes the height and width of 4-D data (batch, channels, height, width), each "
           "element of the output being interpolated between the four around its place in data.",
    OP_ATTRIBUTES(fields, resize_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};
