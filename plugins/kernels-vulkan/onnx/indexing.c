/* Elements and slices that indices name: Gather, GatherElements, GatherND, ScatterElements and
 * ScatterND. A device cannot raise errors: indices beyond an axis lead to some element of it. */
#include "elementwise/mover.h"
#include "elementwise/numbers.h"
#include "elementwise/points.h"
#include "elementwise/take.h"
#include "entries_onnx.h"
#include "scatter.h"

static int is_index_dtype(tn_dtype dtype) {
    return dtype == TN_I32 || dtype == TN_I64;
}

static int32_t supports_indices(const tn_kernel_query *query) {
    return is_index_dtype(query->inputs[1].dtype) && supports_sizes(query);
}

typedef struct axis_attributes {
    int64_t axis;
} axis_attributes;

static const tn_attribute axis_table[] = {
    TN_FIELD(axis_attributes, axis, INT, "0", "[-32,31]", "The axis that the indices are of."),
};

static int32_t axis_of(int64_t axis, int32_t rank) {
    return (int32_t)(axis < 0 ? axis + rank : axis);
}

/* Gather */

static tn_status prepare_gather(tn_prepare_call *call) {
    const axis_attributes *given = call->attributes;
    return prepare_taking(call, &(take_plan){.data = 0,
                                             .indices = 1,
                                             .axis = axis_of(given->axis, call->inputs[0]->rank),
                                             .wraps = 1});
}

const tn_kernel onnx_gather_kernel = {
    SPIRV_KERNEL("onnx.Gather", supports_indices, prepare_gather),
    KERNEL_ATTRIBUTES(axis_table, axis_attributes),
};

/* GatherElements and ScatterElements */

static sized_shaders gather_shaders = SHADERS_TO_16(gather_elements);
static sized_shaders scatter_shaders = SHADERS_TO_16(scatter_elements);

typedef struct elements_push {
    uint32_t count;
    uint32_t along; /* the axis's extent in the tensor that the indices are into */
    uint32_t along_stride;
    uint32_t extents[SHADER_MAX_AXES]; /* of the indices */
    uint32_t strides[SHADER_MAX_AXES]; /* in that tensor; 0 along the axis */
} elements_push;

/* The indices' places, walked along with those in a tensor of `whole` extents. */
static joined_axes walk_of(int32_t rank, const int64_t *indices, const int64_t *whole,
                           int32_t axis) {
    joined_axes axes = {.rank = 0};
    int64_t strides[TN_MAX_RANK], own[TN_MAX_RANK];
    axes_compact_strides(rank, whole, strides);
    axes_compact_strides(rank, indices, own);
    for (int32_t i = 0; i < rank; i++) {
        axes_add(&axes, indices[i], i == axis ? 0 : strides[i], own[i]);
    }
    axes_finish(&axes);
    return axes;
}

static int32_t supports_elements(const tn_kernel_query *query) {
    const axis_attributes *given = query->attributes;
    const tn_shape *whole = &query->inputs[0].shape, *indices = &query->inputs[1].shape;
    const int32_t axis = axis_of(given->axis, whole->rank);
    return supports_indices(query) && whole->rank > 0 &&
           walk_of(whole->rank, indices->extents, whole->extents, axis).rank <= SHADER_MAX_AXES;
}

static void add_elements(device_program *program, const tn_prepare_call *call, int64_t given_axis,
                         int scatters) {
    const tn_view *whole = call->inputs[0], *indices = call->inputs[1];
    const int32_t axis = axis_of(given_axis, whole->rank);
    const joined_axes axes = walk_of(whole->rank, indices->shape, whole->shape, axis);
    elements_push push = {.count = (uint32_t)axes_count(&axes),
                          .along = (uint32_t)whole->shape[axis],
                          .along_stride =
                              (uint32_t)tn_extent_product(whole->shape, axis + 1, whole->rank)};
    const tn_specialization constants[] = {{2, axes.rank}, number_constant(indices->dtype)};
    axes_store(axes.extents, axes.rank, push.extents, SHADER_MAX_AXES);
    axes_store(axes.strides[0], axes.rank, push.strides, SHADER_MAX_AXES);
    if (push.count == 0 || tn_element_count(whole) == 0) {
        return;
    }
    require_elements(program, call, whole->dtype, 0);
    program_add(program, &(program_launch){
                             .shader = sized_shader(scatters ? scatter_shaders : gather_shaders,
                                                    whole->dtype),
                             .invocations = push.count,
                             .bindings = {bind_input(call, scatters ? 2 : 0), bind_input(call, 1),
                                          bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants),
                         });
}

static tn_status prepare_gather_elements(tn_prepare_call *call) {
    const axis_attributes *given = call->attributes;
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_elements(program, call, given->axis, 0);
    return program_finish(program, call);
}

const tn_kernel onnx_gather_elements_kernel = {
    SPIRV_KERNEL("onnx.GatherElements", supports_elements, prepare_gather_elements),
    KERNEL_ATTRIBUTES(axis_table, axis_attributes),
};

typedef struct scatter_attributes {
    int64_t axis;
    int32_t reduction; /* 0: none */
} scatter_attributes;

#define REDUCTION_FIELD                                                                            \
    TN_FIELD_CHOICE(scatter_attributes, reduction, "none", "none|add|mul|max|min",                 \
                    "What becomes of an element that is there.")

static const tn_attribute scatter_elements_table[] = {
    TN_FIELD(scatter_attributes, axis, INT, "0", "[-32,31]", "The axis that the indices are of."),
    REDUCTION_FIELD,
};
static const tn_attribute scatter_nd_table[] = {REDUCTION_FIELD};

static int32_t supports_scatter_elements(const tn_kernel_query *query) {
    const scatter_attributes *given = query->attributes;
    return supports_elements(query) &&
           (given->reduction == 0 ||
            supports_folding_elements(query, axis_of(given->axis, query->inputs[0].shape.rank)));
}

static tn_status prepare_scatter_elements(tn_prepare_call *call) {
    const scatter_attributes *given = call->attributes;
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_copy(program, call);
    if (given->reduction == 0) {
        add_elements(program, call, given->axis, 1);
    } else {
        add_folding_elements(program, call, axis_of(given->axis, call->inputs[0]->rank),
                             (uint32_t)given->reduction);
    }
    return program_finish(program, call);
}

const tn_kernel onnx_scatter_elements_kernel = {
    SPIRV_KERNEL("onnx.ScatterElements", supports_scatter_elements, prepare_scatter_elements),
    KERNEL_ATTRIBUTES(scatter_elements_table, scatter_attributes),
};

/* GatherND and ScatterND */

typedef struct gather_nd_attributes {
    int64_t batch_dims;
} gather_nd_attributes;

static const tn_attribute gather_nd_table[] = {
    TN_FIELD(gather_nd_attributes, batch_dims, INT, "0", "[0,31]", "Axes of the batch."),
};

static int32_t supports_points(const tn_kernel_query *query) {
    const tn_shape *indices = &query->inputs[1].shape;
    const int64_t depth = indices->extents[indices->rank - 1];
    return depth >= 1 && depth <= SHADER_MAX_AXES && supports_indices(query);
}

static points_walk walk_points(const tn_prepare_call *call, int32_t batch_rank) {
    const tn_view *whole = call->inputs[0], *indices = call->inputs[1];
    const int32_t depth = (int32_t)indices->shape[indices->rank - 1];
    return (points_walk){
        .points = tn_extent_product(indices->shape, 0, indices->rank - 1),
        .batch_points = larger(1, tn_extent_product(indices->shape, batch_rank, indices->rank - 1)),
        .depth = (uint32_t)depth,
        .extents = whole->shape + batch_rank,
        .slice = tn_extent_product(whole->shape, batch_rank + depth, whole->rank),
        .point_step = depth,
        .axis_step = 1,
    };
}

static tn_status prepare_gather_nd(tn_prepare_call *call) {
    const gather_nd_attributes *given = call->attributes;
    const points_walk walk = walk_points(call, (int32_t)given->batch_dims);
    device_program *program;
    TN_TRY(program_create(call, &program));
    if (tn_element_count(call->inputs[0]) > 0) {
        add_points(program, call, &walk);
    }
    return program_finish(program, call);
}

const tn_kernel onnx_gather_nd_kernel = {
    SPIRV_KERNEL("onnx.GatherND", supports_points, prepare_gather_nd),
    KERNEL_ATTRIBUTES(gather_nd_table, gather_nd_attributes),
};

static int32_t supports_scatter_nd(const tn_kernel_query *query) {
    const scatter_attributes *given = query->attributes;
    return supports_points(query) && (given->reduction == 0 || supports_folding_points(query));
}

static tn_status prepare_scatter_nd(tn_prepare_call *call) {
    const scatter_attributes *given = call->attributes;
    points_walk walk = walk_points(call, 0);
    device_program *program;
    walk.scatters = 1;
    TN_TRY(program_create(call, &program));
    add_copy(program, call);
    if (given->reduction != 0) {
        add_folding_points(program, call, (uint32_t)given->reduction);
    } else if (tn_element_count(call->inputs[0]) > 0) {
        add_points(program, call, &walk);
    }
    return program_finish(program, call);
}

const tn_kernel onnx_scatter_nd_kernel = {
    SPIRV_KERNEL("onnx.ScatterND", supports_scatter_nd, prepare_scatter_nd),
    KERNEL_ATTRIBUTES(scatter_nd_table, scatter_attributes),
};
