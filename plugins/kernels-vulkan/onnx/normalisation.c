/* BatchNormalization, InstanceNormalization, GroupNormalization and LayerNormalization of ONNX. */
#include "dense/row_norm.h"
#include "elementwise/mover.h"
#include "entries_onnx.h"

/* BatchNormalization. In training mode the moments are the batch's, in float32. */

enum { DATA, SCALE, SHIFT, MEAN, VARIANCE };

typedef struct batch_attributes {
    double epsilon;
    double momentum;
    int32_t training_mode;
} batch_attributes;

static const tn_attribute batch_table[] = {
    TN_FIELD(batch_attributes, epsilon, FLOAT, "1e-5", NULL, "Added to the variance."),
    TN_FIELD(batch_attributes, momentum, FLOAT, "0.9", NULL, "What the running moments keep."),
    TN_FIELD(batch_attributes, training_mode, BOOL, "False", NULL, "Takes the batch's moments."),
};

/* A workgroup sums a channel, which has elements. */
static int32_t fits_training(const tn_kernel_query *query) {
    const tn_shape *data = &query->inputs[DATA].shape;
    const axis_split split = split_axis(data->extents, data->rank, 1);
    const int64_t count = split.outer * split.inner;
    return query->inputs[SCALE].dtype == TN_F32 && split.extent > 0 && count > 0 &&
           count / 256 < (int64_t)PROGRAM_MAX_LOOPS;
}

static int32_t supports_batch(const tn_kernel_query *query) {
    const batch_attributes *given = query->attributes;
    const tn_dtype dtype = query->inputs[DATA].dtype;
    int32_t fits = supports_float_data(query) && query->inputs[DATA].shape.rank > 1;
    for (uint32_t i = SCALE; i <= VARIANCE; i++) {
        fits = fits && (query->inputs[i].dtype == TN_F32 || query->inputs[i].dtype == dtype) &&
               query->inputs[i].dtype == query->inputs[SCALE].dtype;
    }
    return fits && (!given->training_mode || fits_training(query));
}

/* Those of the batch, which are where the two bindings say; the running ones are outputs. */
static void add_moments(device_program *program, const tn_prepare_call *call,
                        const axis_split *split, program_binding *out_mean,
                        program_binding *out_variance) {
    const batch_attributes *given = call->attributes;
    const struct {
        uint32_t channels;
        uint32_t samples;
        uint32_t inner;
        float momentum;
    } push = {(uint32_t)split->extent, (uint32_t)split->outer, (uint32_t)split->inner,
              (float)given->momentum};
    const uint64_t size = (uint64_t)split->extent * sizeof(float);
    *out_mean = program_reserve(program, size);
    *out_variance = program_reserve(program, size);
    const int has_outputs = call->output_count == 3;
    program_add(
        program,
        &(program_launch){
            .shader = SHADER_OF(batch_moments, call->inputs[DATA]->dtype),
            .workgroups = push.channels,
            .bindings = {bind_input(call, DATA), bind_input(call, MEAN), bind_input(call, VARIANCE),
                         *out_mean, *out_variance,
                         has_outputs ? bind_output(call, 1) : program_reserve(program, size),
                         has_outputs ? bind_output(call, 2) : program_reserve(program, size)},
            PROGRAM_PUSH(push)});
}

/* In inference the moments stay as they were. */
static void copy_moments(device_program *program, const tn_prepare_call *call,
                         const axis_split *split) {
    for (uint32_t i = 1; i < call->output_count; i++) {
        element_move whole = {.input = MEAN + i - 1, .output = i};
        axes_add(&whole.axes, split->extent, 1, 1);
        axes_finish(&whole.axes);
        if (split->extent > 0) {
            add_move(program, call, &whole);
        }
    }
}

static tn_status prepare_batch(tn_prepare_call *call) {
    const batch_attributes *given = call->attributes;
    const tn_view *data = call->inputs[DATA];
    const axis_split split = split_axis(data->shape, data->rank, 1);
    const int has_half_parameters = call->inputs[SCALE]->dtype == TN_F16;
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t count;
        uint32_t channels;
        uint32_t inner;
        float epsilon;
    } push = {(uint32_t)tn_element_count(data), (uint32_t)split.extent, (uint32_t)split.inner,
              (float)given->epsilon};
    program_binding mean = bind_input(call, MEAN), variance = bind_input(call, VARIANCE);
    if (given->training_mode) {
        add_moments(program, call, &split, &mean, &variance);
    }
    program_add(program,
                &(program_launch){
                    .shader = has_half_parameters ? &shader_batch_norm_half
                                                  : SHADER_OF(batch_norm, data->dtype),
                    .invocations = push.count,
                    .bindings = {bind_input(call, DATA), bind_input(call, SCALE),
                                 bind_input(call, SHIFT), mean, variance, bind_output(call, 0)},
                    PROGRAM_PUSH(push)});
    if (!given->training_mode) {
        copy_moments(program, call, &split);
    }
    return program_finish(program, call);
}

const tn_kernel onnx_batch_normalization_kernel = {
    SPIRV_KERNEL("onnx.BatchNormalization", supports_batch, prepare_batch),
    FLOAT_DTYPES,
    KERNEL_ATTRIBUTES(batch_table, batch_attributes),
};

/* Channels, alone or in groups; scale and bias are per channel. */

typedef struct group_attributes {
    double epsilon;
    int64_t num_groups;
    int32_t factors_of_groups;
} group_attributes;

#define EPSILON_FIELD                                                                              \
    TN_FIELD(group_attributes, epsilon, FLOAT, "1e-5", NULL, "Added to the variance.")

static const tn_attribute instance_table[] = {EPSILON_FIELD};
static const tn_attribute group_table[] = {
    EPSILON_FIELD,
    TN_FIELD(group_attributes, num_groups, INT, NULL, "[1,inf)", "The groups."),
    TN_FIELD(group_attributes, factors_of_groups, BOOL, "False", NULL,
             "Whether scale and bias are per group."),
};

static row_norm norm_of(const int64_t *extents, int32_t rank, int64_t groups, int of_channels,
                        double epsilon) {
    const int64_t length = tn_extent_product(extents, 1, rank);
    const int64_t row = groups > 0 ? length / groups : 0;
    return (row_norm){.form = of_channels ? FORM_CHANNELS : FORM_ROWS,
                      .split = {extents[0] * groups, row, 1},
                      .vectors = of_channels ? extents[1] : groups,
                      .plane = tn_extent_product(extents, 2, rank),
                      .epsilon = epsilon};
}

static int32_t supports_instance(const tn_kernel_query *query) {
    const tn_shape *data = &query->inputs[0].shape;
    return supports_rows(query, tn_extent_product(data->extents, 2, data->rank));
}

static tn_status prepare_instance(tn_prepare_call *call) {
    const group_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const row_norm norm = norm_of(data->shape, data->rank, data->shape[1], 0, given->epsilon);
    return prepare_row_norm(call, &norm);
}

const tn_kernel onnx_instance_normalization_kernel = {
    SPIRV_KERNEL("onnx.InstanceNormalization", supports_instance, prepare_instance),
    FLOAT_DTYPES,
    IN_PLACE,
    KERNEL_ATTRIBUTES(instance_table, group_attributes),
};

static int32_t supports_group(const tn_kernel_query *query) {
    const group_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape;
    return supports_rows(query,
                         tn_extent_product(data->extents, 1, data->rank) / given->num_groups);
}

static tn_status prepare_group(tn_prepare_call *call) {
    const group_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const row_norm norm = norm_of(data->shape, data->rank, given->num_groups,
                                  !given->factors_of_groups, given->epsilon);
    return prepare_row_norm(call, &norm);
}

const tn_kernel onnx_group_normalization_kernel = {
    SPIRV_KERNEL("onnx.GroupNormalization", supports_group, prepare_group),
    FLOAT_DTYPES,
    IN_PLACE,
    KERNEL_ATTRIBUTES(group_table, group_attributes),
};

/* Everything from an axis on; scale and bias have an element for each of a row. */

typedef struct layer_attributes {
    int64_t axis;
    double epsilon;
} layer_attributes;

static const tn_attribute layer_table[] = {
    TN_FIELD(layer_attributes, axis, INT, "-1", "[-32,31]", "The first axis of a row."),
    TN_FIELD(layer_attributes, epsilon, FLOAT, "1e-5", NULL, "Added to the variance."),
};

static axis_split rows_from(const layer_attributes *given, int32_t rank, const int64_t *extents) {
    return split_axes(extents, rank, (int32_t)(given->axis < 0 ? given->axis + rank : given->axis),
                      rank);
}

static int32_t supports_layer(const tn_kernel_query *query) {
    const tn_shape *data = &query->inputs[0].shape;
    const int64_t extent = rows_from(query->attributes, data->rank, data->extents).extent;
    return query->inputs[2].dtype == query->inputs[0].dtype &&
           is_float_dtype(query->inputs[0].dtype) &&
           query->inputs[1].dtype == query->inputs[0].dtype &&
           (query->output_count == 1 || query->outputs[1].dtype == TN_F32) &&
           type_count(&query->inputs[1]) == extent && type_count(&query->inputs[2]) == extent &&
           supports_rows(query, extent);
}

static tn_status prepare_layer(tn_prepare_call *call) {
    const layer_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    return prepare_row_norm(call, &(row_norm){.form = FORM_ELEMENTS,
                                              .split = rows_from(given, data->rank, data->shape),
                                              .vectors = 1,
                                              .epsilon = given->epsilon,
                                              .gives_inverse = 1});
}

const tn_kernel onnx_layer_normalization_kernel = {
    SPIRV_KERNEL("onnx.LayerNormalization", supports_layer, prepare_layer),
    KERNEL_ATTRIBUTES(layer_table, layer_attributes),
};
