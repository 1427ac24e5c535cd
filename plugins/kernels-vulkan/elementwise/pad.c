/* Pad: the input with a margin before and after it along each axis. */
#include "pad.h"

#include "entries_elementwise.h"

static sized_shaders shaders = SHADERS_TO_8(pad);

typedef struct pad_attributes {
    int32_t mode;
    tn_ints pad_width;
    double constant_value;
} pad_attributes;

static const tn_attribute fields[] = {
    TN_FIELD_CHOICE(pad_attributes, mode, NULL, "constant|edge|reflect", "What a margin holds."),
    TN_FIELD(pad_attributes, pad_width, INTS, NULL, "[0,inf)", "Two margins for each axis."),
    TN_FIELD(pad_attributes, constant_value, FLOAT, "0", NULL, "What a constant margin holds."),
};

/* Axes that are as they were are joined with the axis before them when that is too. */
pad_axes pad_axes_of(int32_t rank, const int64_t *inside, const int64_t *outside,
                     const int64_t *before) {
    pad_axes axes = {.rank = 0};
    int joins = 0;
    for (int32_t axis = 0; axis < rank; axis++) {
        const int is_padded = inside[axis] != outside[axis] || before[axis] != 0;
        if (axes.rank > MAX_PAD_AXES || (!is_padded && inside[axis] == 1)) {
            continue;
        }
        if (joins && !is_padded) {
            axes.inside[axes.rank - 1] *= (uint32_t)inside[axis];
            axes.outside[axes.rank - 1] *= (uint32_t)outside[axis];
        } else if (axes.rank++ < MAX_PAD_AXES) {
            axes.before[axes.rank - 1] = (uint32_t)before[axis];
            axes.inside[axes.rank - 1] = (uint32_t)inside[axis];
            axes.outside[axes.rank - 1] = (uint32_t)outside[axis];
        }
        joins = !is_padded && axes.rank <= MAX_PAD_AXES;
    }
    return axes;
}

static pad_axes join_axes(const pad_attributes *given, int32_t rank, const int64_t *inside,
                          const int64_t *outside) {
    int64_t before[TN_MAX_RANK];
    for (int32_t axis = 0; axis < rank; axis++) {
        before[axis] = given->pad_width.values[2 * axis];
    }
    return pad_axes_of(rank, inside, outside, before);
}

static int32_t supports_pad(const tn_kernel_query *query) {
    const tn_shape *inside = &query->inputs[0].shape, *outside = &query->outputs[0].shape;
    return supports_sizes(query) &&
           join_axes(query->attributes, inside->rank, inside->extents, outside->extents).rank <=
               MAX_PAD_AXES;
}

typedef struct pad_push {
    uint32_t count;
    uint32_t value_low;
    uint32_t value_high;
    uint32_t extents[MAX_PAD_AXES];
    uint32_t before[MAX_PAD_AXES];
    uint32_t inside[MAX_PAD_AXES];
    uint32_t strides[MAX_PAD_AXES];
} pad_push;

static pad_push push_of(const pad_axes *axes, const tn_view *output, element_bits bits) {
    pad_push push = {(uint32_t)tn_element_count(output), bits.low, bits.high, {0}, {0}, {0}, {0}};
    uint32_t stride = 1;
    for (uint32_t axis = axes->rank; axis-- > 0;) {
        push.extents[axis] = axes->outside[axis];
        push.before[axis] = axes->before[axis];
        push.inside[axis] = axes->inside[axis];
        push.strides[axis] = stride;
        stride *= axes->inside[axis];
    }
    return push;
}

void add_pad(device_program *program, const tn_prepare_call *call, const pad_axes *axes,
             uint32_t mode, element_bits value, uint32_t value_input) {
    const tn_view *output = call->outputs[0];
    const program_binding none = {0, 0, 0, 0}, target = bind_output(call, 0);
    const program_binding given =
        value_input < call->input_count ? bind_input_or(call, value_input, none) : none;
    const pad_push push = push_of(axes, output, value);
    /* An empty input is all margin. */
    const uint32_t used = tn_element_count(call->inputs[0]) > 0 ? mode : PAD_CONSTANT;
    const tn_specialization constants[] = {{2, axes->rank}, {3, used}, {4, given.size > 0}};
    require_elements(program, call, output->dtype, 0);
    program_add(program, &(program_launch){
                             .shader = sized_shader(shaders, output->dtype),
                             .invocations = push.count,
                             .bindings = {bind_input_or(call, 0, target), target,
                                          given.size > 0 ? given : target},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants),
                         });
}

static tn_status prepare_pad(tn_prepare_call *call) {
    const pad_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const pad_axes axes = join_axes(given, data->rank, data->shape, output->shape);
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_pad(program, call, &axes, (uint32_t)given->mode,
            bits_of_element(given->constant_value, output->dtype), call->input_count);
    return program_finish(program, call);
}

#define PAD_KERNEL(NAME)                                                                           \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_pad, prepare_pad),                                            \
        KERNEL_ATTRIBUTES(fields, pad_attributes),                                                 \
    };
PAD_KERNEL(Pad)
PAD_KERNEL(pad)
