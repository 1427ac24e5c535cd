/* gather_nd and one_hot. */
#include "axes.h"
#include "entries_elementwise.h"
#include "numbers.h"

static sized_shaders gather_shaders = SHADERS_TO_16(gather_nd);
static sized_shaders one_hot_shaders = SHADERS_TO_8(one_hot);

/* How many axes of the data a point has coordinates for. */
static int32_t supports_gather_nd(const tn_kernel_query *query) {
    const int64_t depth = query->inputs[1].shape.extents[0];
    return depth >= 1 && depth <= SHADER_MAX_AXES && is_number_dtype(query->inputs[1].dtype) &&
           supports_sizes(query);
}

typedef struct gather_push {
    uint32_t count;
    uint32_t points;
    uint32_t slice;
    uint32_t extents[SHADER_MAX_AXES];
} gather_push;

static tn_status prepare_gather_nd(tn_prepare_call *call) {
    const tn_view *data = call->inputs[0], *indices = call->inputs[1];
    const uint32_t depth = (uint32_t)indices->shape[0];
    uint64_t slice = (uint64_t)tn_extent_product(data->shape, (int32_t)depth, data->rank);
    uint64_t count = (uint64_t)tn_element_count(call->outputs[0]);
    uint64_t size = TN_DTYPE_SIZE(data->dtype);
    while (size < 16 && slice > 0 && slice % 2 == 0) {
        size *= 2;
        slice /= 2;
        count /= 2;
    }
    if (count > 0 && tn_element_count(data) == 0) {
        return tn_fail(call->host, TN_OUT_OF_RANGE, "points in data without elements");
    }
    gather_push push = {.count = (uint32_t)count,
                        .points = (uint32_t)tn_extent_product(indices->shape, 1, indices->rank),
                        .slice = (uint32_t)slice};
    axes_store(data->shape, depth, push.extents, SHADER_MAX_AXES);
    const tn_specialization constants[] = {{2, depth}, number_constant(indices->dtype)};
    device_program *program;
    TN_TRY(program_create(call, &program));
    if (size < 4) {
        require_elements(program, call, data->dtype, 0);
    }
    program_add(program,
                &(program_launch){
                    .shader = gather_shaders[size_class(size)],
                    .invocations = count,
                    .bindings = {bind_input(call, 0), bind_input(call, 1), bind_output(call, 0)},
                    PROGRAM_PUSH(push),
                    PROGRAM_CONSTANTS(constants),
                });
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
