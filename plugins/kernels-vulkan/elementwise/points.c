/* gather_nd and one_hot. */
#include "points.h"
#include "axes.h"
#include "entries_elementwise.h"

static sized_shaders gather_shaders = SHADERS_TO_16(gather_nd);
static sized_shaders scatter_shaders = SHADERS_TO_16(scatter_nd);
static sized_shaders one_hot_shaders = SHADERS_TO_8(one_hot);

/* How many axes of the data a point has coordinates for. */
static int32_t supports_gather_nd(const tn_kernel_query *query) {
    const int64_t depth = query->inputs[1].shape.extents[0];
    return depth >= 1 && depth <= SHADER_MAX_AXES && is_number_dtype(query->inputs[1].dtype) &&
           supports_sizes(query);
}

typedef struct gather_push {
    uint32_t count;
    uint32_t point_step;
    uint32_t axis_step;
    uint32_t batch_points;
    uint32_t slice;
    uint32_t extents[SHADER_MAX_AXES];
} points_push;

void add_points(device_program *program, const tn_prepare_call *call, const points_walk *walk) {
    uint64_t slice = (uint64_t)walk->slice, size = TN_DTYPE_SIZE(call->outputs[0]->dtype);
    while (size < 16 && slice > 0 && slice % 2 == 0) {
        size *= 2;
        slice /= 2;
    }
    const uint64_t count = (uint64_t)walk->points * slice;
    points_push push = {.count = (uint32_t)count,
                        .point_step = (uint32_t)walk->point_step,
                        .axis_step = (uint32_t)walk->axis_step,
                        .batch_points = (uint32_t)walk->batch_points,
                        .slice = (uint32_t)slice};
    axes_store(walk->extents, walk->depth, push.extents, SHADER_MAX_AXES);
    const tn_specialization constants[] = {{2, walk->depth},
                                           number_constant(call->inputs[1]->dtype)};
    if (count == 0) {
        return;
    }
    if (size < 4) {
        require_elements(program, call, call->outputs[0]->dtype, 0);
    }
    program_add(program, &(program_launch){
                             .shader = walk->scatters ? scatter_shaders[size_class(size)]
                                                      : gather_shaders[size_class(size)],
                             .invocations = count,
                             .bindings = {bind_input(call, walk->scatters ? 2 : 0),
                                          bind_input(call, 1), bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants),
                         });
}

static tn_status prepare_gather_nd(tn_prepare_call *call) {
    const tn_view *data = call->inputs[0], *indices = call->inputs[1];
    const int32_t depth = (int32_t)indices->shape[0];
    const int64_t points = tn_extent_product(indices->shape, 1, indices->rank);
    device_program *program;
    if (tn_element_count(call->outputs[0]) > 0 && tn_element_count(data) == 0) {
        return tn_fail(call->host, TN_OUT_OF_RANGE, "points in data without elements");
    }
    TN_TRY(program_create(call, &program));
    add_points(program, call,
               &(points_walk){.points = points,
                              .batch_points = larger(1, points),
                              .depth = (uint32_t)depth,
                              .extents = data->shape,
                              .slice = tn_extent_product(data->shape, depth, data->rank),
                              .point_step = 1,
                              .axis_step = points});
    return program_finish(program, call);
}

const tn_kernel kernel_gather_nd = {
    SPIRV_KERNEL("gather_nd", supports_gather_nd, prepare_gather_nd),
};

typedef struct one_hot_attributes {
    int64_t depth;
    double on_value;
    double off_value;
} one_hot_attributes;

static const tn_attribute one_hot_fields[] = {
    TN_FIELD(one_hot_attributes, depth, INT, NULL, "[0,inf)", "The length of the vectors."),
    TN_FIELD(one_hot_attributes, on_value, FLOAT, "1", NULL, "The element at the index."),
    TN_FIELD(one_hot_attributes, off_value, FLOAT, "0", NULL, "All other elements."),
};

static int32_t supports_one_hot(const tn_kernel_query *query) {
    return is_number_dtype(query->inputs[0].dtype) && supports_sizes(query);
}

static tn_status prepare_one_hot(tn_prepare_call *call) {
    const one_hot_attributes *given = call->attributes;
    const tn_view *indices = call->inputs[0], *output = call->outputs[0];
    const element_bits on = bits_of_element(given->on_value, output->dtype);
    const element_bits off = bits_of_element(given->off_value, output->dtype);
    const uint32_t push[] = {(uint32_t)tn_element_count(output),
                             (uint32_t)given->depth,
                             on.low,
                             on.high,
                             off.low,
                             off.high};
    const tn_specialization constants[] = {number_constant(indices->dtype)};
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, output->dtype, 0);
    program_add(program, &(program_launch){
                             .shader = sized_shader(one_hot_shaders, output->dtype),
                             .invocations = push[0],
                             .bindings = {bind_output(call, 0), bind_input(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants),
                         });
    return program_finish(program, call);
}

const tn_kernel kernel_one_hot = {
    SPIRV_KERNEL("one_hot", supports_one_hot, prepare_one_hot),
    KERNEL_ATTRIBUTES(one_hot_fields, one_hot_attributes),
};
