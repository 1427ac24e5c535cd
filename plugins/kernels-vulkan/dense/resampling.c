/* UpSampling, _contrib_AdaptiveAvgPooling2D, _contrib_BilinearResize2D and Crop. */
#include "convolution.h"
#include "entries_dense.h"
#include "lanes.h"

enum { UPSAMPLING_NEAREST, UPSAMPLING_BILINEAR };
enum { UPSAMPLING_CONCAT, UPSAMPLING_SUM };

typedef struct upsampling_attributes {
    int64_t scale;
    int32_t sample_type;
    int32_t multi_input_mode;
} upsampling_attributes;

static const tn_attribute upsampling_fields[] = {
    TN_FIELD(upsampling_attributes, scale, INT, NULL, "[1,2147483647]", "How many times."),
    TN_FIELD_CHOICE(upsampling_attributes, sample_type, NULL, "nearest|bilinear",
                    "Whether elements are repeated or spread by a deconvolution."),
    TN_FIELD_CHOICE(upsampling_attributes, multi_input_mode, "concat", "concat|sum",
                    "How several inputs are put together."),
};

static int32_t supports_upsampling(const tn_kernel_query *query) {
    const upsampling_attributes *given = query->attributes;
    return supports_sizes(query) &&
           (given->sample_type == UPSAMPLING_NEAREST || given->scale < 10000);
}

/* Input `input` to the output's channels from `first` on. */
static void add_repetition(device_program *program, const tn_prepare_call *call, uint32_t input,
                           int64_t first, int adds) {
    const int64_t *source = call->inputs[input]->shape;
    const int64_t *target = call->outputs[0]->shape;
    const struct {
        uint32_t source[3];
        uint32_t target[3];
        uint32_t first_channel;
        uint32_t count;
    } push = {{(uint32_t)source[1], (uint32_t)source[2], (uint32_t)source[3]},
              {(uint32_t)target[1], (uint32_t)target[2], (uint32_t)target[3]},
              (uint32_t)first,
              (uint32_t)(source[0] * source[1] * target[2] * target[3])};
    const tn_specialization constants[] = {{0, (uint32_t)adds}};
    program_add(program,
                &(program_launch){.shader = SHADER_OF(upsampling, call->outputs[0]->dtype),
                                  .invocations = push.count,
                                  .bindings = {bind_input(call, input), bind_output(call, 0)},
                                  PROGRAM_PUSH(push),
                                  PROGRAM_CONSTANTS(constants)});
}

static tn_status prepare_upsampling(tn_prepare_call *call) {
    const upsampling_attributes *given = call->attributes;
    device_program *program;
    TN_TRY(program_create(call, &program));
    if (given->sample_type == UPSAMPLING_BILINEAR) {
        const int64_t scale = given->scale;
        const convolution_axis axis = {2 * scale - scale % 2, scale, 1, scale / 2};
        add_convolution(program, call,
                        &(convolution){.is_backwards = 1,
                                       .rank = 2,
                                       .axes = {{1, 1, 1, 0}, axis, axis},
                                       .groups = call->inputs[0]->shape[1]});
        return program_finish(program, call);
    }
    const int is_sum = given->multi_input_mode == UPSAMPLING_SUM;
    int64_t first = 0;
    for (uint32_t i = 0; i < call->input_count; i++) {
        add_repetition(program, call, i, first, is_sum && i > 0);
        first += is_sum ? 0 : call->inputs[i]->shape[1];
    }
    return program_finish(program, call);
}

const tn_kernel upsampling_kernel = {
    SPIRV_KERNEL("UpSampling", supports_upsampling, prepare_upsampling),
    FLOAT_DTYPES,
    KERNEL_ATTRIBUTES(upsampling_fields, upsampling_attributes),
};

/* Products of two extents, or of one with itself, stay within 32 bits. */
static int32_t supports_planes(const tn_kernel_query *query, int64_t factor) {
    const tn_shape *data = &query->inputs[0].shape;
    const tn_shape *output = &query->outputs[0].shape;
    int32_t fits = supports_sizes(query);
    for (int32_t axis = 2; axis < 4; axis++) {
        const int64_t most = larger(data->extents[axis], output->extents[axis]) + 1;
        fits = fits && most < 65536 && factor * most * output->extents[axis] < UINT32_MAX;
    }
    return fits;
}

static int32_t supports_adaptive(const tn_kernel_query *query) {
    const tn_shape *data = &query->inputs[0].shape;
    const int64_t plane = data->extents[2] * data->extents[3];
    return supports_planes(query, 1) && plane < LANES_LONGEST(1);
}

static tn_status prepare_adaptive(tn_prepare_call *call) {
    const int64_t *source = call->inputs[0]->shape + 2;
    const int64_t *target = call->outputs[0]->shape + 2;
    const program_binding output = bind_output(call, 0);
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t source[2];
        uint32_t target[2];
        uint32_t count;
    } push = {{(uint32_t)source[0], (uint32_t)source[1]},
              {(uint32_t)target[0], (uint32_t)target[1]},
              (uint32_t)tn_element_count(call->outputs[0])};
    const int64_t covered =
        (source[0] / larger(1, target[0]) + 2) * (source[1] / larger(1, target[1]) + 2);
    const uint32_t lanes = covered < 64 ? 1 : lanes_for(covered, 1, push.count, 1);
    const tn_specialization constants[] = {{0, lanes}};
    program_add(program,
                &(program_launch){.shader = SHADER_OF(adaptive_pooling, call->outputs[0]->dtype),
                                  .workgroups = lane_groups(push.count, lanes),
                                  .bindings = {bind_input_or(call, 0, output), output},
                                  PROGRAM_PUSH(push),
                                  PROGRAM_CONSTANTS(constants)});
    return program_finish(program, call);
}

const tn_kernel adaptive_pooling_kernel = {
    SPIRV_KERNEL("_contrib_AdaptiveAvgPooling2D", supports_adaptive, prepare_adaptive),
    FLOAT_DTYPES,
};

typedef struct resize_attributes {
    int32_t align_corners;
} resize_attributes;

static const tn_attribute resize_fields[] = {
    TN_FIELD(resize_attributes, align_corners, BOOL, "True", NULL,
             "Lays the centres of the corner elements on each other."),
};

static int32_t supports_resize(const tn_kernel_query *query) {
    return supports_planes(query, 2);
}

static tn_status prepare_resize(tn_prepare_call *call) {
    const resize_attributes *given = call->attributes;
    const int64_t *source = call->inputs[0]->shape + 2;
    const int64_t *target = call->outputs[0]->shape + 2;
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t source[2];
        uint32_t target[2];
        uint32_t count;
        uint32_t align_corners;
    } push = {{(uint32_t)source[0], (uint32_t)source[1]},
              {(uint32_t)target[0], (uint32_t)target[1]},
              (uint32_t)tn_element_count(call->outputs[0]),
              (uint32_t)given->align_corners};
    program_add(program,
                &(program_launch){.shader = SHADER_OF(bilinear_resize, call->outputs[0]->dtype),
                                  .invocations = push.count,
                                  .bindings = {bind_input(call, 0), bind_output(call, 0)},
                                  PROGRAM_PUSH(push)});
    return program_finish(program, call);
}

const tn_kernel bilinear_resize_kernel = {
    SPIRV_KERNEL("_contrib_BilinearResize2D", supports_resize, prepare_resize),
    FLOAT_DTYPES,
    KERNEL_ATTRIBUTES(resize_fields, resize_attributes),
};

typedef struct crop_attributes {
    tn_ints offset;
    int32_t center_crop;
} crop_attributes;

static const tn_attribute crop_fields[] = {
    TN_FIELD(crop_attributes, offset, INTS, "(0, 0)", "[0,inf)", "The first row and column."),
    TN_FIELD(crop_attributes, center_crop, BOOL, "False", NULL, "Cuts out the middle."),
};

static int32_t supports_crop(const tn_kernel_query *query) {
    const tn_dtype dtype = query->inputs[0].dtype;
    return supports_sizes(query) && (dtype == TN_F16 || TN_DTYPE_SIZE(dtype) == 4);
}

static tn_status prepare_crop(tn_prepare_call *call) {
    const crop_attributes *given = call->attributes;
    const int64_t *source = call->inputs[0]->shape + 2;
    const int64_t *target = call->outputs[0]->shape + 2;
    device_program *program;
    TN_TRY(program_create(call, &program));
    struct {
        uint32_t source[2];
        uint32_t target[2];
        uint32_t first[2];
        uint32_t count;
    } push = {.count = (uint32_t)tn_element_count(call->outputs[0])};
    for (int32_t i = 0; i < 2; i++) {
        push.source[i] = (uint32_t)source[i];
        push.target[i] = (uint32_t)target[i];
        push.first[i] =
            (uint32_t)(given->center_crop ? (source[i] - target[i]) / 2 : given->offset.values[i]);
    }
    const int is_half = call->inputs[0]->dtype == TN_F16;
    program_add(program, &(program_launch){.shader = is_half ? &shader_crop_f16 : &shader_crop_u32,
                                           .invocations = push.count,
                                           .bindings = {bind_input(call, 0), bind_output(call, 0)},
                                           PROGRAM_PUSH(push)});
    return program_finish(program, call);
}

const tn_kernel crop_kernel = {
    SPIRV_KERNEL("Crop", supports_crop, prepare_crop),
    KERNEL_ATTRIBUTES(crop_fields, crop_attributes),
};
