/* The operator Resize, and its kernel, which resamples one axis after the other. */
#include "resize.h"

#include <math.h>

#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

enum { DATA, ROI, SCALES, SIZES };

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
static const uint32_t optional[] = {ROI, SCALES, SIZES};
static const uint32_t value_inputs[] = {ROI, SCALES, SIZES};

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

/* What becomes of each axis of data of known shape. */
static tn_status plan_axes(const tn_host *host, const resize_attributes *own, const tn_shape *data,
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
    const tn_shape *data = &call->inputs[DATA].shape;
    const tn_view *scales = call->input_values[SCALES], *sizes = call->input_values[SIZES];
    resized_axis axes[TN_MAX_RANK];
    TN_TRY(infer_output_dtype_like(call, DATA));
    if (data->rank < 0) {
        return TN_OK;
    }
    tn_shape result = tn_shape_of_rank(data->rank);
    if (tn_shape_is_known(data) && (is_given(scales) || is_given(sizes))) {
        TN_TRY(plan_axes(call->host, call->attributes, data, NULL, scales, sizes, axes));
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

/* One axis: slices of `inner` elements, `axis.input` or `axis.output` of them in a row. */
typedef struct resize_pass {
    const resize_attributes *own;
    resized_axis axis;
    int64_t outer, inner;
    const double *source;
    double *target;
} resize_pass;

/* Some of the elements that one place of the output is made of. */
enum { TAP_BLOCK = 16 };
typedef struct tap_block {
    int count;
    int64_t indices[TAP_BLOCK];
    double weights[TAP_BLOCK];
} tap_block;

static tap_block find_block(const resize_pass *pass, const resize_taps *taps, int64_t first) {
    tap_block block = {0};
    for (int64_t tap = first; tap < taps->count && tap < first + TAP_BLOCK; tap++) {
        int64_t index;
        const double weight = tap_weight(pass->own, &pass->axis, taps, tap, &index) / taps->total;
        if (weight != 0) {
            block.indices[block.count] = index;
            block.weights[block.count++] = weight;
        }
    }
    return block;
}

/* Adds a block to one place, whose elements lie side by side. */
static void add_block(const resize_pass *pass, const tap_block *block, int64_t outer,
                      double *restrict target) {
    const int64_t inner = pass->inner;
    for (int tap = 0; tap < block->count; tap++) {
        const double weight = block->weights[tap];
        const double *restrict source =
            pass->source + (outer * pass->axis.input + block->indices[tap]) * inner;
        for (int64_t i = 0; i < inner; i++) {
            target[i] += weight * source[i];
        }
    }
}

static void resample_place(const resize_pass *pass, int64_t place, const resize_taps *taps) {
    const double start = taps->is_outside ? pass->own->extrapolation_value : 0;
    const int64_t count = taps->is_outside ? 0 : taps->count;
    for (int64_t first = 0; first == 0 || first < count; first += TAP_BLOCK) {
        const tap_block block = count > 0 ? find_block(pass, taps, first) : (tap_block){.count = 0};
        for (int64_t outer = 0; outer < pass->outer; outer++) {
            double *target = pass->target + (outer * pass->axis.output + place) * pass->inner;
            for (int64_t i = 0; first == 0 && i < pass->inner; i++) {
                target[i] = start;
            }
            add_block(pass, &block, outer, target);
        }
    }
}

/* The last axis: rows one after the other, as long as all places are made of a few elements. */
static void resample_row(const resize_pass *pass, const tap_block *blocks, int64_t outer,
                         int64_t first, int64_t count) {
    const double *source = pass->source + outer * pass->axis.input;
    double *target = pass->target + outer * pass->axis.output + first;
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int tap = 0; tap < blocks[i].count; tap++) {
            sum += blocks[i].weights[tap] * source[blocks[i].indices[tap]];
        }
        target[i] = sum;
    }
}

enum { ROW_BLOCK = 32 };

static void resample_rows(const resize_pass *pass, int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += ROW_BLOCK) {
        const int64_t count = end - first < ROW_BLOCK ? end - first : ROW_BLOCK;
        tap_block blocks[ROW_BLOCK];
        for (int64_t i = 0; i < count; i++) {
            const resize_taps taps = find_taps(pass->own, &pass->axis, first + i);
            blocks[i] = find_block(pass, &taps, 0);
        }
        for (int64_t outer = 0; outer < pass->outer; outer++) {
            resample_row(pass, blocks, outer, first, count);
        }
    }
}

static void resample_range(void *context, int64_t begin, int64_t end) {
    const resize_pass *pass = context;
    const resize_taps any = find_taps(pass->own, &pass->axis, begin);
    if (pass->inner == 1 && any.count <= TAP_BLOCK &&
        pass->own->coordinate_transformation_mode != COORDINATE_TF_CROP_AND_RESIZE) {
        resample_rows(pass, begin, end);
        return;
    }
    for (int64_t place = begin; place < end; place++) {
        const resize_taps taps = find_taps(pass->own, &pass->axis, place);
        resample_place(pass, place, &taps);
    }
}

/* The largest tensor between two passes. */
static int64_t largest_size(const tn_view *data, const tn_view *output) {
    int64_t size = 1;
    for (int32_t i = 0; i < data->rank; i++) {
        const int64_t input = data->shape[i], result = output->shape[i];
        if (__builtin_mul_overflow(size, input > result ? input : result, &size)) {
            return INT64_MAX;
        }
    }
    return size;
}

static tn_status prepare(tn_prepare_call *call) {
    const int64_t size = largest_size(call->inputs[DATA], call->outputs[0]);
    if (__builtin_mul_overflow((uint64_t)size, 2 * sizeof(double), &call->workspace_size)) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "the workspace would be too large");
    }
    return TN_OK;
}

static int is_changed(const resize_attributes *own, const resized_axis *axis) {
    return axis->input != axis->output || axis->scale != 1 ||
           (own->coordinate_transformation_mode == COORDINATE_TF_CROP_AND_RESIZE &&
            (axis->roi_start != 0 || axis->roi_end != 1));
}

static tn_status run(const tn_run_call *call) {
    const resize_attributes *own = call->attributes;
    const tn_view *data = call->inputs[DATA], *output = call->outputs[0];
    tn_shape shape = shape_of_view(data), result = shape;
    resized_axis axes[TN_MAX_RANK];
    TN_TRY(plan_axes(call->host, own, &shape, run_input(call, ROI), run_input(call, SCALES),
                     run_input(call, SIZES), axes));
    for (int32_t i = 0; i < shape.rank; i++) {
        result.extents[i] = axes[i].output;
    }
    TN_TRY(check_planned_shape(call->host, output, &result));
    if (tn_element_count(output) == 0) {
        return TN_OK;
    }
    double *source = call->workspace, *target = source + largest_size(data, output);
    read_doubles(data->dtype, tn_data(data), 0, 1, tn_element_count(data), source);
    for (int32_t i = 0; i < shape.rank; i++) {
        if (!is_changed(own, &axes[i])) {
            continue;
        }
        resize_pass pass = {own,
                            axes[i],
                            tn_extent_product(shape.extents, 0, i),
                            tn_extent_product(shape.extents, i + 1, shape.rank),
                            source,
                            target};
        tn_parallel_for(call->host, axes[i].output, 8192 / (pass.outer * pass.inner + 1) + 1,
                        resample_range, &pass);
        shape.extents[i] = axes[i].output;
        target = source;
        source = pass.target;
    }
    write_doubles(output->dtype, tn_data(output), 0, 1, tn_element_count(output), source);
    return TN_OK;
}

const tn_kernel resize_kernel = {CPU_KERNEL("onnx.Resize"), .prepare = prepare, .run = run};
