/* Resize of ONNX: one axis after the other, in floats. */
#include <tenon/plugin/half.h>

#include "entries_onnx.h"
#include "lists.h"

enum { DATA, ROI, SCALES, SIZES };
enum { MODE_NEAREST, MODE_LINEAR, MODE_CUBIC };
enum { COORDINATE_TF_CROP_AND_RESIZE = 6 };
enum { POLICY_STRETCH, POLICY_NOT_LARGER, POLICY_NOT_SMALLER };

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

static const tn_attribute table[] = {
    TN_FIELD_CHOICE(resize_attributes, mode, "nearest", "nearest|linear|cubic", "The filter."),
    TN_FIELD_CHOICE(resize_attributes, coordinate_transformation_mode, "half_pixel",
                    "half_pixel|half_pixel_symmetric|pytorch_half_pixel|align_corners|asymmetric|"
                    "tf_half_pixel_for_nn|tf_crop_and_resize",
                    "Where an output's place is in the input."),
    TN_FIELD_CHOICE(resize_attributes, nearest_mode, "round_prefer_floor",
                    "round_prefer_floor|round_prefer_ceil|floor|ceil|simple", "What is nearest."),
    TN_FIELD_CHOICE(resize_attributes, keep_aspect_ratio_policy, "stretch",
                    "stretch|not_larger|not_smaller", "What sizes mean."),
    TN_FIELD_OR_NONE(resize_attributes, axes, INTS, "None", "[-32,31]", "The axes."),
    TN_FIELD(resize_attributes, cubic_coeff_a, FLOAT, "-0.75", NULL, "Of the cubic filter."),
    TN_FIELD(resize_attributes, extrapolation_value, FLOAT, "0", NULL, "Beyond the input."),
    TN_FIELD(resize_attributes, antialias, BOOL, "False", NULL, "Whether the filter grows."),
    TN_FIELD(resize_attributes, exclude_outside, BOOL, "False", NULL, "Leaves the outside out."),
};

typedef struct resized_axis {
    int64_t input, output;
    double scale;
    double roi_start, roi_end;
} resized_axis;

/* Inference has checked all that is read here. */
typedef struct resize_inputs {
    const resize_attributes *given;
    int32_t rank;
    const int64_t *from, *to; /* extents */
    const tn_view *roi, *scales, *sizes;
} resize_inputs;

static double number_of(const tn_view *view, int64_t index) {
    const void *data = tn_data(view);
    switch (view->dtype) {
    case TN_F64: return ((const double *)data)[index];
    case TN_F16: return (double)tn_float_from_f16(((const uint16_t *)data)[index]);
    case TN_I64: return (double)((const int64_t *)data)[index];
    case TN_I32: return ((const int32_t *)data)[index];
    default: return (double)((const float *)data)[index];
    }
}

static int64_t count_of(const tn_view *view) {
    return view == NULL ? 0 : tn_element_count(view);
}

static void keep_ratio(const resize_inputs *inputs, const int32_t *named, int32_t count,
                       resized_axis *axes) {
    double common = 0;
    for (int32_t i = 0; i < count; i++) {
        const double scale = axes[named[i]].scale;
        const int is_stronger = inputs->given->keep_aspect_ratio_policy == POLICY_NOT_LARGER
                                    ? scale < common
                                    : scale > common;
        common = i == 0 || is_stronger ? scale : common;
    }
    for (int32_t i = 0; i < count; i++) {
        axes[named[i]].scale = common;
    }
}

static void find_axes(const resize_inputs *inputs, resized_axis *axes) {
    const resize_attributes *given = inputs->given;
    int32_t named[TN_MAX_RANK], count = 0;
    for (int32_t i = 0; i < inputs->rank; i++) {
        axes[i] = (resized_axis){inputs->from[i], inputs->to[i], 1, 0, 1};
        if (given->axes.count < 0) {
            named[count++] = i;
        }
    }
    for (int64_t i = 0; i < given->axes.count; i++) {
        const int64_t axis = given->axes.values[i];
        named[count++] = (int32_t)(axis < 0 ? axis + inputs->rank : axis);
    }
    const int has_sizes = count_of(inputs->sizes) > 0;
    for (int32_t i = 0; i < count; i++) {
        resized_axis *axis = &axes[named[i]];
        axis->scale = !has_sizes         ? number_of(inputs->scales, i)
                      : axis->input == 0 ? 1
                                         : number_of(inputs->sizes, i) / (double)axis->input;
        if (count_of(inputs->roi) == 2 * count) {
            axis->roi_start = number_of(inputs->roi, i);
            axis->roi_end = number_of(inputs->roi, count + i);
        }
    }
    if (has_sizes && given->keep_aspect_ratio_policy != POLICY_STRETCH) {
        keep_ratio(inputs, named, count, axes);
    }
}

static int is_changed(const resize_attributes *given, const resized_axis *axis) {
    return axis->input != axis->output || axis->scale != 1 ||
           (given->coordinate_transformation_mode == COORDINATE_TF_CROP_AND_RESIZE &&
            (axis->roi_start != 0 || axis->roi_end != 1));
}

/* A filter that grows without bound is the CPU's. */
#define WIDEST_FILTER 1024

static int32_t supports_resize(const tn_kernel_query *query) {
    const resize_attributes *given = query->attributes;
    const tn_shape *from = &query->inputs[DATA].shape;
    const tn_view *roi = query->input_count > ROI ? query->input_values[ROI] : NULL;
    resized_axis axes[TN_MAX_RANK];
    const int reads_roi = given->coordinate_transformation_mode == COORDINATE_TF_CROP_AND_RESIZE;
    if (!is_known_or_absent(query, SCALES) || !is_known_or_absent(query, SIZES) ||
        (reads_roi && !is_known_or_absent(query, ROI))) {
        return 0;
    }
    find_axes(&(resize_inputs){given, from->rank, from->extents, query->outputs[0].shape.extents,
                               roi,
                               query->input_count > SCALES ? query->input_values[SCALES] : NULL,
                               query->input_count > SIZES ? query->input_values[SIZES] : NULL},
              axes);
    for (int32_t i = 0; i < from->rank; i++) {
        if (from->extents[i] >= 1 << 22 ||
            (given->antialias && axes[i].scale < 1 && 4 / axes[i].scale > WIDEST_FILTER)) {
            return 0;
        }
    }
    return is_float_dtype(query->inputs[DATA].dtype) && supports_sizes(query);
}

typedef struct resize_push {
    double scale;
    double roi_start;
    double roi_end;
    uint32_t count;
    uint32_t input;
    uint32_t output;
    uint32_t inner;
    float cubic_a;
    float extrapolation;
} resize_push;

typedef struct single_push {
    uint32_t count;
    uint32_t input;
    uint32_t output;
    uint32_t inner;
    float cubic_a;
    float extrapolation;
    float scale;
    float roi_start;
    float roi_end;
} single_push;

/* From and to floats in the workspace, but for the first and the last pass. */
static const shader_code *shader_of(int from_half, int to_half, int is_double) {
    static const shader_code *const shaders[2][2][2] = {
        {{&shader_resize_f32_f32, &shader_resize_f32_f32_double},
         {&shader_resize_f32_f16, &shader_resize_f32_f16_double}},
        {{&shader_resize_f16_f32, &shader_resize_f16_f32_double},
         {&shader_resize_f16_f16, &shader_resize_f16_f16_double}}};
    return shaders[from_half][to_half][is_double];
}

static void add_pass(device_program *program, const resize_attributes *given,
                     const resized_axis *axis, program_launch *launch, int64_t outer, int64_t inner,
                     const shader_code *shader, int is_double) {
    const tn_specialization constants[] = {{0, (uint32_t)given->mode},
                                           {1, (uint32_t)given->coordinate_transformation_mode},
                                           {2, (uint32_t)given->nearest_mode},
                                           {3, given->antialias && axis->scale < 1},
                                           {4, (uint32_t)given->exclude_outside}};
    const uint32_t count = (uint32_t)(outer * axis->output * inner);
    const resize_push wide = {axis->scale,
                              axis->roi_start,
                              axis->roi_end,
                              count,
                              (uint32_t)axis->input,
                              (uint32_t)axis->output,
                              (uint32_t)inner,
                              (float)given->cubic_coeff_a,
                              (float)given->extrapolation_value};
    const single_push single = {
        wide.count,         wide.input,         wide.output,       wide.inner,
        wide.cubic_a,       wide.extrapolation, (float)wide.scale, (float)wide.roi_start,
        (float)wide.roi_end};
    launch->shader = shader;
    launch->invocations = count;
    launch->push = is_double ? (const void *)&wide : (const void *)&single;
    launch->push_size = is_double ? sizeof wide : sizeof single;
    launch->specializations = constants;
    launch->specialization_count = COUNT_OF(constants);
    program_add(program, launch);
}

static void add_passes(device_program *program, const tn_prepare_call *call,
                       const resized_axis *axes) {
    const resize_attributes *given = call->attributes;
    const tn_view *data = call->inputs[DATA];
    const int is_half = data->dtype == TN_F16;
    const int is_double = program_limits(program)->has_f64 != 0;
    int64_t extents[TN_MAX_RANK];
    int32_t order[TN_MAX_RANK], passes = 0;
    program_binding from = bind_input(call, DATA);
    memcpy(extents, data->shape, (size_t)data->rank * sizeof *extents);
    for (int32_t i = 0; i < data->rank; i++) {
        if (is_changed(given, &axes[i])) {
            order[passes++] = i;
        }
    }
    if (passes == 0) { /* the same places: a pass that changes nothing */
        order[passes++] = 0;
    }
    for (int32_t i = 0; i < passes; i++) {
        const int32_t axis = order[i];
        const int is_last = i == passes - 1;
        extents[axis] = axes[axis].output;
        const int64_t outer = tn_extent_product(extents, 0, axis);
        const int64_t inner = tn_extent_product(extents, axis + 1, data->rank);
        const program_binding to =
            is_last ? bind_output(call, 0)
                    : program_reserve(program,
                                      (uint64_t)(outer * extents[axis] * inner) * sizeof(float));
        program_launch launch = {.bindings = {from, to}};
        add_pass(program, given, &axes[axis], &launch, outer, inner,
                 shader_of(is_half && i == 0, is_half && is_last, is_double), is_double);
        from = to;
    }
}

static tn_status prepare_resize(tn_prepare_call *call) {
    const tn_view *data = call->inputs[DATA], *output = call->outputs[0];
    resized_axis axes[TN_MAX_RANK + 1] = {{1, 1, 1, 0, 1}};
    device_program *program;
    TN_TRY(program_create(call, &program));
    if (tn_element_count(output) == 0 || tn_element_count(data) == 0) {
        return program_finish(program, call);
    }
    find_axes(&(resize_inputs){call->attributes, data->rank, data->shape, output->shape,
                               call->input_count > ROI ? call->input_values[ROI] : NULL,
                               call->input_count > SCALES ? call->input_values[SCALES] : NULL,
                               call->input_count > SIZES ? call->input_values[SIZES] : NULL},
              axes);
    add_passes(program, call, axes);
    return program_finish(program, call);
}

const tn_kernel onnx_resize_kernel = {
    SPIRV_KERNEL("onnx.Resize", supports_resize, prepare_resize),
    KERNEL_ATTRIBUTES(table, resize_attributes),
};
