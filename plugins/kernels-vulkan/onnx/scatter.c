#include "scatter.h"

#include "elementwise/axes.h"
#include "elementwise/numbers.h"

typedef struct lines_push {
    uint32_t lines;
    uint32_t steps;
    uint32_t step_stride;
    uint32_t along;
    uint32_t along_stride;
    uint32_t extents[SHADER_MAX_AXES];
    uint32_t strides[SHADER_MAX_AXES];
    uint32_t own_strides[SHADER_MAX_AXES];
} lines_push;

typedef struct points_push {
    uint32_t slice;
    uint32_t points;
    uint32_t extents[SHADER_MAX_AXES];
} points_push;

/* All axes but one, with places in the data and among the indices. */
static joined_axes lines_of(int32_t rank, const int64_t *data, const int64_t *indices,
                            int32_t along) {
    joined_axes axes = {.rank = 0};
    int64_t strides[TN_MAX_RANK], own[TN_MAX_RANK];
    axes_compact_strides(rank, data, strides);
    axes_compact_strides(rank, indices, own);
    for (int32_t i = 0; i < rank; i++) {
        if (i != along) {
            axes_add(&axes, indices[i], strides[i], own[i]);
        }
    }
    axes_finish(&axes);
    return axes;
}

int32_t supports_folding_elements(const tn_kernel_query *query, int32_t axis) {
    const tn_shape *data = &query->inputs[0].shape, *indices = &query->inputs[1].shape;
    return is_float_dtype(query->outputs[0].dtype) &&
           indices->extents[axis] < (int64_t)PROGRAM_MAX_LOOPS &&
           lines_of(data->rank, data->extents, indices->extents, axis).rank <= SHADER_MAX_AXES;
}

int32_t supports_folding_points(const tn_kernel_query *query) {
    const tn_shape *indices = &query->inputs[1].shape;
    return is_float_dtype(query->outputs[0].dtype) &&
           tn_extent_product(indices->extents, 0, indices->rank - 1) < (int64_t)PROGRAM_MAX_LOOPS;
}

/* Unless there is nothing to scatter. */
static void add_fold(device_program *program, const tn_prepare_call *call,
                     const program_launch *launch) {
    program_launch whole = *launch;
    if (tn_element_count(call->inputs[2]) > 0 && tn_element_count(call->outputs[0]) > 0) {
        whole.bindings[0] = bind_input(call, 2);
        whole.bindings[1] = bind_input(call, 1);
        whole.bindings[2] = bind_output(call, 0);
        program_add(program, &whole);
    }
}

void add_folding_elements(device_program *program, const tn_prepare_call *call, int32_t axis,
                          uint32_t reduction) {
    const tn_view *data = call->inputs[0], *indices = call->inputs[1];
    const joined_axes axes = lines_of(data->rank, data->shape, indices->shape, axis);
    lines_push push = {
        .lines = (uint32_t)axes_count(&axes),
        .steps = (uint32_t)indices->shape[axis],
        .step_stride = (uint32_t)tn_extent_product(indices->shape, axis + 1, indices->rank),
        .along = (uint32_t)data->shape[axis],
        .along_stride = (uint32_t)tn_extent_product(data->shape, axis + 1, data->rank)};
    const tn_specialization constants[] = {
        {2, axes.rank}, number_constant(indices->dtype), {5, reduction}};
    axes_store(axes.extents, axes.rank, push.extents, SHADER_MAX_AXES);
    axes_store(axes.strides[0], axes.rank, push.strides, SHADER_MAX_AXES);
    axes_store(axes.strides[1], axes.rank, push.own_strides, SHADER_MAX_AXES);
    add_fold(program, call,
             &(program_launch){.shader = SHADER_OF(scatter_lines, data->dtype),
                               .invocations = push.lines,
                               PROGRAM_PUSH(push),
                               PROGRAM_CONSTANTS(constants)});
}

void add_folding_points(device_program *program, const tn_prepare_call *call, uint32_t reduction) {
    const tn_view *data = call->inputs[0], *indices = call->inputs[1];
    const int32_t depth = (int32_t)indices->shape[indices->rank - 1];
    points_push push = {.slice = (uint32_t)tn_extent_product(data->shape, depth, data->rank),
                        .points =
                            (uint32_t)tn_extent_product(indices->shape, 0, indices->rank - 1)};
    const tn_specialization constants[] = {
        {2, (uint32_t)depth}, number_constant(indices->dtype), {5, reduction}};
    axes_store(data->shape, (uint32_t)depth, push.extents, SHADER_MAX_AXES);
    add_fold(program, call,
             &(program_launch){.shader = SHADER_OF(scatter_points, data->dtype),
                               .invocations = push.slice,
                               PROGRAM_PUSH(push),
                               PROGRAM_CONSTANTS(constants)});
}
