/* LayerNorm, GroupNorm, InstanceNorm and L2Normalization: rows brought to a mean or length. */
#include "row_norm.h"

#include "entries_dense.h"

/* By the dtypes of the elements and of the moments. */
static const shader_code *shader_of(const tn_prepare_call *call) {
    const tn_dtype dtype = call->inputs[0]->dtype;
    return dtype == TN_F16 && call->output_count == 3 && call->outputs[1]->dtype == TN_F32
               ? &shader_row_norm_half
               : SHADER_OF(row_norm, dtype);
}

/* With the outputs mean and std where there are three. */
tn_status prepare_row_norm(tn_prepare_call *call, const row_norm *norm) {
    const axis_split *split = &norm->split;
    const int64_t rows = split->outer * split->inner;
    const program_binding data = bind_input(call, 0);
    const program_binding output = bind_output(call, 0);
    const int has_moments = call->output_count == 3;
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t rows;
        uint32_t extent;
        uint32_t inner;
        uint32_t vectors;
        uint32_t plane;
        float epsilon;
    } push = {(uint32_t)rows,          (uint32_t)split->extent,          (uint32_t)split->inner,
              (uint32_t)norm->vectors, (uint32_t)larger(1, norm->plane), (float)norm->epsilon};
    const uint32_t lanes = lanes_for(split->extent, split->inner == 1, rows, PASSES);
    const tn_specialization constants[] = {{0, lanes},
                                           {1, norm->form},
                                           {2, (uint32_t)has_moments},
                                           {3, (uint32_t)norm->gives_inverse}};
    program_add(program,
                &(program_launch){.shader = shader_of(call),
                                  .workgroups = split->extent > 0 ? lane_groups(rows, lanes) : 0,
                                  .bindings = {data, bind_input_or(call, 1, data),
                                               bind_input_or(call, 2, data), output,
                                               has_moments ? bind_output(call, 1) : output,
                                               has_moments ? bind_output(call, 2) : output},
                                  PROGRAM_PUSH(push),
                                  PROGRAM_CONSTANTS(constants)});
    return program_finish(program, call);
}

typedef struct layer_norm_attributes {
    int64_t axis;
    double eps;
} layer_norm_attributes;

static const tn_attribute layer_norm_fields[] = {
    TN_FIELD(layer_norm_attributes, axis, INT, "-1", "[-32,31]", "The axis of the rows."),
    TN_FIELD(layer_norm_attributes, eps, FLOAT, "1e-5", "[0,inf)", "Added to the variance."),
};

static int32_t supports_layer_norm(const tn_kernel_query *query) {
    const layer_norm_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape;
    return supports_rows(query, split_axis(data->extents, data->rank, given->axis).extent);
}

static tn_status prepare_layer_norm(tn_prepare_call *call) {
    const layer_norm_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    return prepare_row_norm(call,
                            &(row_norm){.form = FORM_ELEMENTS,
                                        .split = split_axis(data->shape, data->rank, given->axis),
                                        .vectors = 1,
                                        .epsilon = given->eps});
}

const tn_kernel layer_norm_kernel = {
    SPIRV_KERNEL("LayerNorm", supports_layer_norm, prepare_layer_norm),
    FLOAT_DTYPES,
    IN_PLACE,
    KERNEL_ATTRIBUTES(layer_norm_fields, layer_norm_attributes),
};

/* The channels of a sample in `groups` groups. */
static axis_split split_groups(const int64_t *extents, int32_t rank, int64_t groups) {
    const int64_t length = tn_extent_product(extents, 1, rank);
    return (axis_split){extents[0] * groups, groups > 0 ? length / groups : 0, 1};
}

static tn_status prepare_groups(tn_prepare_call *call, int64_t groups, double epsilon) {
    const tn_view *data = call->inputs[0];
    return prepare_row_norm(call,
                            &(row_norm){.form = FORM_ROWS,
                                        .split = split_groups(data->shape, data->rank, groups),
                                        .vectors = groups,
                                        .epsilon = epsilon});
}

typedef struct group_norm_attributes {
    int64_t num_groups;
    double eps;
} group_norm_attributes;

static const tn_attribute group_norm_fields[] = {
    TN_FIELD(group_norm_attributes, num_groups, INT, "1", "[1,inf)", "The groups."),
    TN_FIELD(group_norm_attributes, eps, FLOAT, "1e-5", "[0,inf)", "Added to the variance."),
};

static int32_t supports_group_norm(const tn_kernel_query *query) {
    const group_norm_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape;
    return supports_rows(query, split_groups(data->extents, data->rank, given->num_groups).extent);
}

static tn_status prepare_group_norm(tn_prepare_call *call) {
    const group_norm_attributes *given = call->attributes;
    return prepare_groups(call, given->num_groups, given->eps);
}

const tn_kernel group_norm_kernel = {
    SPIRV_KERNEL("GroupNorm", supports_group_norm, prepare_group_norm),
    FLOAT_DTYPES,
    IN_PLACE,
    KERNEL_ATTRIBUTES(group_norm_fields, group_norm_attributes),
};

typedef struct instance_norm_attributes {
    double eps;
} instance_norm_attributes;

static const tn_attribute instance_norm_fields[] = {
    TN_FIELD(instance_norm_attributes, eps, FLOAT, "1e-3", "[0,inf)", "Added to the variance."),
};

static int32_t supports_instance_norm(const tn_kernel_query *query) {
    const tn_shape *data = &query->inputs[0].shape;
    return supports_rows(query, split_groups(data->extents, data->rank, data->extents[1]).extent);
}

static tn_status prepare_instance_norm(tn_prepare_call *call) {
    const instance_norm_attributes *given = call->attributes;
    return prepare_groups(call, call->inputs[0]->shape[1], given->eps);
}

const tn_kernel instance_norm_kernel = {
    SPIRV_KERNEL("InstanceNorm", supports_instance_norm, prepare_instance_norm),
    FLOAT_DTYPES,
    IN_PLACE,
    KERNEL_ATTRIBUTES(instance_norm_fields, instance_norm_attributes),
};

enum { L2_CHANNEL, L2_INSTANCE, L2_SPATIAL };

typedef struct l2_attributes {
    double eps;
    int32_t mode;
} l2_attributes;

static const tn_attribute l2_fields[] = {
    TN_FIELD(l2_attributes, eps, FLOAT, "1e-10", "[0,inf)", "Added to the sum of squares."),
    TN_FIELD_CHOICE(l2_attributes, mode, "instance", "channel|instance|spatial",
                    "What is brought to length 1."),
};

static axis_split split_by_mode(const int64_t *extents, int32_t rank, int32_t mode) {
    switch (mode) {
    case L2_CHANNEL: return split_axes(extents, rank, 1, 2);
    case L2_SPATIAL: return split_axes(extents, rank, 2, rank);
    default: return split_axes(extents, rank, 1, rank);
    }
}

static int32_t supports_l2(const tn_kernel_query *query) {
    const l2_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape;
    return supports_rows(query, split_by_mode(data->extents, data->rank, given->mode).extent);
}

static tn_status prepare_l2(tn_prepare_call *call) {
    const l2_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    return prepare_row_norm(
        call, &(row_norm){.form = FORM_LENGTH,
                          .split = split_by_mode(data->shape, data->rank, given->mode),
                          .vectors = 1,
                          .epsilon = given->eps});
}

const tn_kernel l2_normalization_kernel = {
    SPIRV_KERNEL("L2Normalization", supports_l2, prepare_l2),
    FLOAT_DTYPES,
    IN_PLACE,
    KERNEL_ATTRIBUTES(l2_fields, l2_attributes),
};
