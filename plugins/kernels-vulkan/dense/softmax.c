/* softmax and its relatives: log_softmax, softmin, SoftmaxActivation, SoftmaxOutput, WarpCTC. */
#include "entries_dense.h"
#include "entries_onnx.h"
#include "lanes.h"

/* A row is read three times. */
#define PASSES 3

/* As in softmax.comp. */
enum { LENGTHS_NONE, LENGTHS_FLOATS, LENGTHS_INTEGERS };

typedef struct softmax_problem {
    axis_split split; /* the rows lie along its middle */
    double divisor;
    int32_t logarithmic;
    uint32_t lengths; /* LENGTHS_…, of input 1 */
} softmax_problem;

static const shader_code *shader_of(tn_dtype from, tn_dtype to) {
    if (from == TN_F16) {
        return to == TN_F16 ? &shader_softmax_f16 : &shader_softmax_f16_f32;
    }
    return to == TN_F16 ? &shader_softmax_f32_f16 : &shader_softmax_f32;
}

static tn_status prepare_softmax(tn_prepare_call *call, const softmax_problem *problem) {
    const axis_split *split = &problem->split;
    const int64_t rows = split->outer * split->inner;
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t rows;
        uint32_t extent;
        uint32_t inner;
        float divisor;
    } push = {(uint32_t)rows, (uint32_t)split->extent, (uint32_t)split->inner,
              (float)problem->divisor};
    const uint32_t lanes = lanes_for(split->extent, split->inner == 1, rows, PASSES);
    const tn_specialization constants[] = {
        {0, lanes}, {1, (uint32_t)problem->logarithmic}, {2, problem->lengths}};
    const program_binding data = bind_input(call, 0);
    program_add(program, &(program_launch){
                             .shader = shader_of(call->inputs[0]->dtype, call->outputs[0]->dtype),
                             .workgroups = split->extent > 0 ? lane_groups(rows, lanes) : 0,
                             .bindings = {data, problem->lengths != 0 ? bind_input(call, 1) : data,
                                          bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants)});
    return program_finish(program, call);
}

typedef struct softmax_attributes {
    int64_t axis;
    double temperature;
    int32_t use_length;
} softmax_attributes;

static const tn_attribute softmax_fields[] = {
    TN_FIELD(softmax_attributes, axis, INT, "-1", "[-32,31]", "The axis that is summed over."),
    TN_FIELD_OR_NONE(softmax_attributes, temperature, FLOAT, "None", NULL, "The divisor."),
    TN_FIELD_OR_NONE(softmax_attributes, use_length, BOOL, "False", NULL, "Takes lengths."),
};

static uint32_t lengths_of(tn_dtype dtype) {
    switch (dtype) {
    case TN_F32: return LENGTHS_FLOATS;
    case TN_I32: return LENGTHS_INTEGERS;
    default: return LENGTHS_NONE;
    }
}

static int32_t supports_axis(const tn_kernel_query *query) {
    const softmax_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape;
    return supports_float_data(query) &&
           (query->input_count < 2 || lengths_of(query->inputs[1].dtype) != LENGTHS_NONE) &&
           split_axis(data->extents, data->rank, given->axis).extent <= LANES_LONGEST(PASSES);
}

static tn_status prepare_axis(tn_prepare_call *call, double sign, int32_t logarithmic) {
    const softmax_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const int has_temperature = given->temperature == given->temperature;
    const softmax_problem problem = {
        .split = split_axis(data->shape, data->rank, given->axis),
        .divisor = sign * (has_temperature ? given->temperature : 1),
        .logarithmic = logarithmic,
        .lengths = call->input_count > 1 ? lengths_of(call->inputs[1]->dtype) : LENGTHS_NONE};
    return prepare_softmax(call, &problem);
}

static tn_status prepare_plain(tn_prepare_call *call) {
    return prepare_axis(call, 1, 0);
}

static tn_status prepare_logarithmic(tn_prepare_call *call) {
    return prepare_axis(call, 1, 1);
}

static tn_status prepare_softmin(tn_prepare_call *call) {
    return prepare_axis(call, -1, 0);
}

#define SOFTMAX_KERNEL(NAME, PREPARE)                                                              \
    {                                                                                              \
        SPIRV_KERNEL(NAME, supports_axis, PREPARE), IN_PLACE,                                      \
            KERNEL_ATTRIBUTES(softmax_fields, softmax_attributes)                                  \
    }

const tn_kernel softmax_kernel = SOFTMAX_KERNEL("softmax", prepare_plain);
const tn_kernel log_softmax_kernel = SOFTMAX_KERNEL("log_softmax", prepare_logarithmic);
const tn_kernel softmin_kernel = SOFTMAX_KERNEL("softmin", prepare_softmin);

/* As ONNX has them: with `flatten` along the axis and all behind it together. */
typedef struct line_attributes {
    int64_t axis;
    int32_t flatten;
} line_attributes;

static const tn_attribute line_fields[] = {
    TN_FIELD(line_attributes, axis, INT, "-1", "[-32,31]", "The axis that is summed over."),
    TN_FIELD(line_attributes, flatten, BOOL, "False", NULL, "Takes what is behind it as well."),
};

static axis_split split_lines(const line_attributes *given, int32_t rank, const int64_t *extents) {
    const int32_t axis = (int32_t)(given->axis < 0 ? given->axis + rank : given->axis);
    return split_axes(extents, rank, axis, given->flatten ? rank : axis + 1);
}

static int32_t supports_lines(const tn_kernel_query *query) {
    const tn_shape *data = &query->inputs[0].shape;
    return supports_float_data(query) && data->rank > 0 &&
           split_lines(query->attributes, data->rank, data->extents).extent <=
               LANES_LONGEST(PASSES);
}

static tn_status prepare_lines(tn_prepare_call *call, int32_t logarithmic) {
    const tn_view *data = call->inputs[0];
    return prepare_softmax(
        call, &(softmax_problem){.split = split_lines(call->attributes, data->rank, data->shape),
                                 .divisor = 1,
                                 .logarithmic = logarithmic});
}

static tn_status prepare_softmax_lines(tn_prepare_call *call) {
    return prepare_lines(call, 0);
}

static tn_status prepare_log_softmax_lines(tn_prepare_call *call) {
    return prepare_lines(call, 1);
}

#define LINES_KERNEL(NAME, PREPARE)                                                                \
    {                                                                                              \
        SPIRV_KERNEL(NAME, supports_lines, PREPARE), IN_PLACE,                                     \
            KERNEL_ATTRIBUTES(line_fields, line_attributes)                                        \
    }

const tn_kernel onnx_softmax_kernel = LINES_KERNEL("onnx.Softmax", prepare_softmax_lines);
const tn_kernel onnx_log_softmax_kernel =
    LINES_KERNEL("onnx.LogSoftmax", prepare_log_softmax_lines);

/* The softmax along the axes from `begin` to `end` together. */
static tn_status prepare_along(tn_prepare_call *call, int32_t begin, int32_t end) {
    const tn_view *data = call->inputs[0];
    const softmax_problem problem = {.split = split_axes(data->shape, data->rank, begin, end),
                                     .divisor = 1};
    return prepare_softmax(call, &problem);
}

/* Some of all axes but the first. */
static int32_t supports_along(const tn_kernel_query *query) {
    return supports_float_data(query) &&
           type_count(&query->inputs[0]) <=
               LANES_LONGEST(PASSES) * larger(1, query->inputs[0].shape.extents[0]);
}

typedef struct softmax_activation_attributes {
    int32_t mode; /* 0: along axis 1, 1: along the last axis */
} softmax_activation_attributes;

static const tn_attribute softmax_activation_fields[] = {
    TN_FIELD_CHOICE(softmax_activation_attributes, mode, "instance", "channel|instance",
                    "What adds up to 1."),
};

static tn_status prepare_activation(tn_prepare_call *call) {
    const softmax_activation_attributes *given = call->attributes;
    const int32_t rank = call->inputs[0]->rank;
    return given->mode == 0 ? prepare_along(call, 1, 2) : prepare_along(call, rank - 1, rank);
}

const tn_kernel softmax_activation_kernel = {
    SPIRV_KERNEL("SoftmaxActivation", supports_along, prepare_activation),
    FLOAT_DTYPES,
    IN_PLACE,
    KERNEL_ATTRIBUTES(softmax_activation_fields, softmax_activation_attributes),
};

typedef struct softmax_output_attributes {
    int32_t multi_output;
    int32_t preserve_shape;
} softmax_output_attributes;

static const tn_attribute softmax_output_fields[] = {
    TN_FIELD(softmax_output_attributes, multi_output, BOOL, "False", NULL, "Along axis 1."),
    TN_FIELD(softmax_output_attributes, preserve_shape, BOOL, "False", NULL,
             "Along the last axis rather than over all of a sample's elements."),
};

static tn_status prepare_output(tn_prepare_call *call) {
    const softmax_output_attributes *given = call->attributes;
    const int32_t rank = call->inputs[0]->rank;
    if (given->multi_output) {
        return prepare_along(call, 1, 2);
    }
    return prepare_along(call, given->preserve_shape ? rank - 1 : 1, rank);
}

#define SOFTMAX_OUTPUT_KERNEL(NAME)                                                                \
    {                                                                                              \
        SPIRV_KERNEL(NAME, supports_along, prepare_output), IN_PLACE,                              \
            KERNEL_ATTRIBUTES(softmax_output_fields, softmax_output_attributes)                    \
    }

const tn_kernel softmax_output_kernel = SOFTMAX_OUTPUT_KERNEL("SoftmaxOutput");
const tn_kernel softmax_alias_kernel = SOFTMAX_OUTPUT_KERNEL("Softmax");

static tn_status prepare_warp_ctc(tn_prepare_call *call) {
    return prepare_along(call, 1, 2);
}

const tn_kernel warp_ctc_kernel = {
    SPIRV_KERNEL("WarpCTC", supports_along, prepare_warp_ctc),
    IN_PLACE,
};
