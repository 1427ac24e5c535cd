/* RoiAlign: regions of an image, each pooled to one size from elements in between its own. */
#include <math.h>

#include "elements.h"
#include "families.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

enum { COORDINATES_HALF_PIXEL, COORDINATES_OUTPUT_HALF_PIXEL };
enum { POOL_AVERAGE, POOL_MAXIMUM };
enum { IMAGE, REGIONS, BATCH_INDICES };

typedef struct roi_attributes {
    double spatial_scale;
    int64_t output_height;
    int64_t output_width;
    int64_t sampling_ratio;
    int32_t coordinate_transformation_mode;
    int32_t mode;
} roi_attributes;

static const tn_attribute table[] = {
    TN_FIELD_CHOICE(roi_attributes, coordinate_transformation_mode, "half_pixel",
                    "half_pixel|output_half_pixel",
                    "Whether regions are shifted by half an element, as their coordinates mean the "
                    "middles of elements."),
    TN_FIELD_CHOICE(roi_attributes, mode, "avg", "avg|max",
                    "What becomes of the samples of a bin."),
    TN_FIELD(roi_attributes, output_height, INT, "1", "[1,65536]", "Bins in a column."),
    TN_FIELD(roi_attributes, output_width, INT, "1", "[1,65536]", "Bins in a row."),
    TN_FIELD(roi_attributes, sampling_ratio, INT, "0", "[0,65536]",
             "Samples along each side of a bin; 0: as many as it has elements."),
    TN_FIELD(roi_attributes, spatial_scale, FLOAT, "1", NULL,
             "What coordinates of regions are multiplied by."),
};

static const char *const input_names[] = {"X", "rois", "batch_indices"};
static const char *const output_names[] = {"Y"};

static tn_status infer(tn_infer_call *call) {
    const roi_attributes *own = call->attributes;
    const tn_shape image = tn_shape_of_rank(4);
    int64_t extents[] = {TN_UNKNOWN, 4};
    TN_TRY(infer_output_dtype_like(call, IMAGE));
    TN_TRY(tn_infer_shape(call->host, "X", &call->inputs[IMAGE].shape, &image));
    const tn_shape regions = tn_shape_of(2, extents);
    TN_TRY(tn_infer_shape(call->host, "rois", &call->inputs[REGIONS].shape, &regions));
    const tn_shape indices = tn_shape_of(1, call->inputs[REGIONS].shape.extents);
    TN_TRY(
        tn_infer_shape(call->host, "batch_indices", &call->inputs[BATCH_INDICES].shape, &indices));
    tn_shape result = tn_shape_of_rank(4);
    result.extents[0] = call->inputs[REGIONS].shape.extents[0];
    result.extents[1] = call->inputs[IMAGE].shape.extents[1];
    result.extents[2] = own->output_height;
    result.extents[3] = own->output_width;
    return infer_output_shape(call, &result);
}

const tn_op roi_align_op = {
    .struct_size = TN_OP_SIZE,
    .doc =
        "Divides each region (x, y, x, y) of an image of the batch into bins and gives, for each "
        "channel, the average or the maximum of samples in each bin.",
    OP_ATTRIBUTES(table, roi_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

/* One axis of a region: where it starts, how long a bin is, and its samples. */
typedef struct roi_axis {
    double start, bin;
    int64_t samples, extent;
} roi_axis;

static roi_axis plan_axis(const roi_attributes *own, double from, double to, int64_t bins,
                          int64_t extent) {
    const int shifts = own->coordinate_transformation_mode == COORDINATES_HALF_PIXEL;
    const double start = from * own->spatial_scale - (shifts ? 0.5 : 0);
    double length = to * own->spatial_scale - (shifts ? 0.5 : 0) - start;
    length = shifts ? length : fmax(length, 1);
    const double limit = 1 << 16;
    const double wanted = fmin(fmax(ceil(length / (double)bins), 0), limit);
    return (roi_axis){start, length / (double)bins,
                      own->sampling_ratio > 0 ? own->sampling_ratio : (int64_t)wanted, extent};
}

/* The two elements around a coordinate and the weight of the second; 0 when it is too far out. */
static int find_pair(const roi_axis *axis, double x, int64_t *out_first, int64_t *out_second,
                     double *out_weight) {
    if (!(x >= -1 && x <= (double)axis->extent)) {
        return 0;
    }
    x = fmax(x, 0);
    *out_first = (int64_t)x < axis->extent - 1 ? (int64_t)x : axis->extent - 1;
    *out_second = *out_first < axis->extent - 1 ? *out_first + 1 : *out_first;
    *out_weight = *out_first < axis->extent - 1 ? x - (double)*out_first : 0;
    return 1;
}

/* The corners of a sample with their weights: their sum, or the greatest of them. */
static double sample(const tn_view *image, int64_t plane, const roi_axis *rows,
                     const roi_axis *columns, double y, double x, int32_t mode) {
    int64_t r[2], c[2];
    double below, right, result = mode == POOL_MAXIMUM ? -INFINITY : 0;
    if (!find_pair(rows, y, &r[0], &r[1], &below) || !find_pair(columns, x, &c[0], &c[1], &right)) {
        return 0;
    }
    for (int i = 0; i < 4; i++) {
        const double weight = (i & 1 ? right : 1 - right) * (i & 2 ? below : 1 - below);
        const int64_t at = plane + r[i >> 1] * columns->extent + c[i & 1];
        const double value = weight * number_at(image->dtype, tn_data(image), at);
        result = mode == POOL_MAXIMUM ? fmax(result, value) : result + value;
    }
    return result;
}

static double pool_bin(const roi_attributes *own, const tn_view *image, int64_t plane,
                       const roi_axis *rows, const roi_axis *columns, int64_t row, int64_t column) {
    double result = own->mode == POOL_MAXIMUM ? -INFINITY : 0;
    const int64_t count = rows->samples * columns->samples;
    for (int64_t i = 0; i < count; i++) {
        const double down = (double)(i / columns->samples) + 0.5;
        const double along = (double)(i % columns->samples) + 0.5;
        const double y = rows->start + rows->bin * ((double)row + down / (double)rows->samples);
        const double x =
            columns->start + columns->bin * ((double)column + along / (double)columns->samples);
        const double value = sample(image, plane, rows, columns, y, x, own->mode);
        result = own->mode == POOL_MAXIMUM ? fmax(result, value) : result + value;
    }
    return count == 0 ? 0 : own->mode == POOL_MAXIMUM ? result : result / (double)count;
}

static tn_status run(const tn_run_call *call) {
    const roi_attributes *own = call->attributes;
    const tn_view *image = call->inputs[IMAGE], *regions = call->inputs[REGIONS];
    const tn_view *indices = call->inputs[BATCH_INDICES], *output = call->outputs[0];
    const int64_t channels = image->shape[1], plane = image->shape[2] * image->shape[3];
    const int64_t bins = own->output_height * own->output_width;
    for (int64_t region = 0; region < regions->shape[0]; region++) {
        double corners[4];
        const int64_t batch = read_integer(indices->dtype, tn_data(indices), region);
        if (batch < 0 || batch >= image->shape[0] || plane == 0) {
            return tn_fail(call->host, TN_OUT_OF_RANGE, "region %lld is of image %lld",
                           (long long)region, (long long)batch);
        }
        read_doubles(regions->dtype, tn_data(regions), region * 4, 1, 4, corners);
        const roi_axis rows =
            plan_axis(own, corners[1], corners[3], own->output_height, image->shape[2]);
        const roi_axis columns =
            plan_axis(own, corners[0], corners[2], own->output_width, image->shape[3]);
        for (int64_t i = 0; i < channels * bins; i++) {
            const int64_t bin = i % bins;
            const double value =
                pool_bin(own, image, (batch * channels + i / bins) * plane, &rows, &columns,
                         bin / own->output_width, bin % own->output_width);
            write_number(output->dtype, tn_data(output), region * channels * bins + i, value);
        }
    }
    return TN_OK;
}

const tn_kernel roi_align_kernel = {CPU_KERNEL("onnx.RoiAlign"),
                                    .supports = supports_floating_first_input, .run = run};
