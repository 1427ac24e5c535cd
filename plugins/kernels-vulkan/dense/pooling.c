/* Pooling and Pooling_v1. */
#include <float.h>

#include "entries_dense.h"
#include "lanes.h"
#include "pooling.h"

enum { POOLING_MAX, POOLING_AVERAGE, POOLING_SUM, POOLING_LP };
enum { POOLING_VALID, POOLING_FULL, POOLING_SAME };

typedef struct pooling_attributes {
    tn_ints kernel;
    tn_ints stride;
    tn_ints pad;
    int64_t p_value;
    int32_t pool_type;
    int32_t pooling_convention;
    int32_t global_pool;
    int32_t count_include_pad; /* -1: not given, which means yes */
    int32_t layout;            /* the first three have the channels first */
} pooling_attributes;

static const tn_attribute pooling_fields[] = {
    TN_FIELD(pooling_attributes, kernel, INTS, "()", "[1,2147483647]", "The window's extents."),
    TN_FIELD_CHOICE(pooling_attributes, pool_type, "max", "max|avg|sum|lp", "What is computed."),
    TN_FIELD(pooling_attributes, global_pool, BOOL, "False", NULL, "Covers all of the data."),
    TN_FIELD_CHOICE(pooling_attributes, pooling_convention, "valid", "valid|full|same",
                    "Where the window may stop."),
    TN_FIELD(pooling_attributes, stride, INTS, "()", "[1,2147483647]", "Steps of the window."),
    TN_FIELD(pooling_attributes, pad, INTS, "()", "[0,2147483647]", "Padding around the data."),
    TN_FIELD_OR_NONE(pooling_attributes, p_value, INT, "None", "[1,3]", "The p of pool_type lp."),
    TN_FIELD_OR_NONE(pooling_attributes, count_include_pad, BOOL, "None", NULL,
                     "Whether an average counts the padding."),
    TN_FIELD_CHOICE(pooling_attributes, layout, "None", "NCW|NCHW|NCDHW|NWC|NHWC|NDHWC",
                    "How the axes of data are ordered."),
};

typedef struct pooling_axis {
    int64_t kernel;
    int64_t stride;
    int64_t pad;
    int64_t pad_behind;
} pooling_axis;

static int64_t element_of(const tn_ints *list, int32_t index, int64_t otherwise) {
    return list->count > 0 ? list->values[index] : otherwise;
}

static pooling_axis axis_of(const pooling_attributes *given, int32_t index, int64_t extent) {
    if (given->global_pool) {
        return (pooling_axis){extent, 1, 0, 0};
    }
    const int64_t kernel = given->kernel.values[index];
    const int64_t stride = element_of(&given->stride, index, 1);
    const int64_t pad = element_of(&given->pad, index, 0);
    if (given->pooling_convention != POOLING_SAME) {
        /* A list with both sides has all those in front first. */
        const int has_both = given->pad.count == 2 * given->kernel.count;
        const int32_t behind = has_both ? (int32_t)given->kernel.count + index : index;
        return (pooling_axis){kernel, stride, pad, element_of(&given->pad, behind, 0)};
    }
    /* A place for each stride, with the padding that this needs shared out to both sides. */
    const int64_t places = divide_up(extent, stride);
    const int64_t last = larger(0, places - 1) * stride;
    const int64_t padding = places > 0 ? larger(0, kernel - (extent - last)) : 0;
    return (pooling_axis){kernel, stride, padding / 2, padding - padding / 2};
}

static int channels_are_last(const pooling_attributes *given) {
    return given->layout >= SPATIAL_AXES;
}

/* Shaders compute places with 31 bits. */
static int32_t supports(const tn_kernel_query *query) {
    const pooling_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape;
    const tn_shape *output = &query->outputs[0].shape;
    const int32_t first = channels_are_last(given) ? 1 : 2;
    int64_t covered = 1;
    for (int32_t i = 0; i < data->rank - 2; i++) {
        const pooling_axis axis = axis_of(given, i, data->extents[first + i]);
        if (axis.kernel > INT32_MAX / 4 || axis.pad > INT32_MAX / 4 ||
            axis.pad_behind > INT32_MAX / 4 || axis.stride > INT32_MAX / 4 ||
            output->extents[first + i] * axis.stride > INT32_MAX / 4) {
            return 0;
        }
        covered *= smaller(axis.kernel, data->extents[first + i]);
        if (covered > LANES_LONGEST(1)) {
            return 0;
        }
    }
    return supports_sizes(query);
}

static uint32_t reduction_of(const pooling_attributes *given) {
    static const uint32_t of_powers[] = {REDUCE_SUM, REDUCE_SQUARES, REDUCE_CUBES};
    if (given->pool_type == POOLING_LP) {
        return of_powers[given->p_value - 1];
    }
    return given->pool_type == POOLING_MAX ? REDUCE_MAXIMUM : REDUCE_SUM;
}

static uint32_t finish_of(const pooling_attributes *given, int is_v1) {
    if (given->pool_type == POOLING_AVERAGE) {
        if (is_v1) {
            return FINISH_KERNEL;
        }
        return given->count_include_pad != 0 ? FINISH_PADDED : FINISH_ELEMENTS;
    }
    return is_v1 && given->pool_type == POOLING_MAX ? FINISH_WITH_PADDING : FINISH_NOTHING;
}

/* Also how many elements of data may be under the window. */
static pooling_push push_of(const tn_prepare_call *call, int64_t *out_covered) {
    const pooling_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const tn_view *output = call->outputs[0];
    const int32_t rank = data->rank - 2;
    const int32_t first = channels_are_last(given) ? 1 : 2;
    pooling_push push = {
        .count = (uint32_t)tn_element_count(output),
        .inner = channels_are_last(given) ? (uint32_t)data->shape[rank + 1] : 1,
    };
    *out_covered = 1;
    for (int32_t i = 0; i < SPATIAL_AXES; i++) {
        const int32_t index = i - (SPATIAL_AXES - rank);
        const int64_t extent = index < 0 ? 1 : data->shape[first + index];
        const pooling_axis axis =
            index < 0 ? (pooling_axis){1, 1, 0, 0} : axis_of(given, index, extent);
        push.source[i] = (int32_t)extent;
        push.target[i] = index < 0 ? 1 : (int32_t)output->shape[first + index];
        push.kernel[i] = (int32_t)axis.kernel;
        push.stride[i] = (int32_t)axis.stride;
        push.dilate[i] = 1;
        push.pad[i] = (int32_t)axis.pad;
        push.pad_behind[i] = (int32_t)axis.pad_behind;
        *out_covered *= larger(1, smaller(axis.kernel, extent));
    }
    return push;
}

void add_pooling(device_program *program, const tn_prepare_call *call, const pooling_push *push,
                 int64_t covered, uint32_t reduction, uint32_t finish) {
    const program_binding output = bind_output(call, 0);
    /* A small window is not worth sharing. */
    const uint32_t lanes = covered < 64 ? 1 : lanes_for(covered, 1, push->count, 1);
    const tn_specialization constants[] = {{0, lanes}, {1, reduction}, {2, finish}};
    program_add(program, &(program_launch){.shader = SHADER_OF(pooling, call->outputs[0]->dtype),
                                           .workgroups = lane_groups(push->count, lanes),
                                           .bindings = {bind_input_or(call, 0, output), output},
                                           PROGRAM_PUSH(*push),
                                           PROGRAM_CONSTANTS(constants)});
}

static tn_status prepare_pooling(tn_prepare_call *call, int is_v1) {
    const pooling_attributes *given = call->attributes;
    int64_t covered;
    device_program *program;
    TN_TRY(program_create(call, &program));
    const pooling_push push = push_of(call, &covered);
    add_pooling(program, call, &push, covered, reduction_of(given), finish_of(given, is_v1));
    return program_finish(program, call);
}

static tn_status prepare_current(tn_prepare_call *call) {
    return prepare_pooling(call, 0);
}

static tn_status prepare_v1(tn_prepare_call *call) {
    return prepare_pooling(call, 1);
}

#define POOLING_KERNEL(NAME, PREPARE)                                                              \
    {                                                                                              \
        SPIRV_KERNEL(NAME, supports, PREPARE), FLOAT_DTYPES,                                       \
            KERNEL_ATTRIBUTES(pooling_fields, pooling_attributes)                                  \
    }

const tn_kernel pooling_kernel = POOLING_KERNEL("Pooling", prepare_current);
const tn_kernel pooling_v1_kernel = POOLING_KERNEL("Pooling_v1", prepare_v1);
