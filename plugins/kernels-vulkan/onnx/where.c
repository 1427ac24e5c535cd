/* Where: chooses between two tensors by a bool; all three are stretched to one shape. */
#include "elementwise/axes.h"
#include "elementwise/elements.h"
#include "entries_onnx.h"

#define WHERE_AXES 6u

static sized_shaders shaders = SHADERS_TO_16(where_stretched);

typedef struct where_push {
    uint32_t count;
    uint32_t extents[WHERE_AXES];
    uint32_t strides[3][WHERE_AXES]; /* of the condition and the two choices */
} where_push;

/* Axes that all three walk through as they do through the one before are one with it. Returns how
 * many axes there are, which may be more than there is room for. */
static uint32_t join_axes(const tn_shape *output, const tn_shape inputs[3], where_push *push) {
    int64_t strides[3][TN_MAX_RANK];
    uint32_t rank = 0;
    for (int k = 0; k < 3; k++) {
        axes_stretched_strides(inputs[k].rank, inputs[k].extents, output->rank, strides[k]);
    }
    for (int32_t axis = 0; axis < output->rank; axis++) {
        const uint32_t extent = (uint32_t)output->extents[axis];
        int joins = rank > 0;
        if (extent == 1 || rank > WHERE_AXES) {
            continue;
        }
        for (int k = 0; k < 3 && joins; k++) {
            joins = push->strides[k][rank - 1] == strides[k][axis] * extent;
        }
        if (!joins && rank++ == WHERE_AXES) {
            continue;
        }
        push->extents[rank - 1] = joins ? push->extents[rank - 1] * extent : extent;
        for (int k = 0; k < 3; k++) {
            push->strides[k][rank - 1] = (uint32_t)strides[k][axis];
        }
    }
    if (rank == 0) {
        rank = push->extents[0] = 1;
    }
    return rank;
}

static int32_t supports_where(const tn_kernel_query *query) {
    where_push push = {0};
    const tn_shape inputs[3] = {query->inputs[0].shape, query->inputs[1].shape,
                                query->inputs[2].shape};
    return query->inputs[0].dtype == TN_BOOL && supports_sizes(query) &&
           join_axes(&query->outputs[0].shape, inputs, &push) <= WHERE_AXES;
}

static tn_status prepare_where(tn_prepare_call *call) {
    const tn_view *output = call->outputs[0];
    const tn_shape shape = tn_shape_of(output->rank, output->shape);
    tn_shape inputs[3];
    where_push push = {.count = (uint32_t)tn_element_count(output)};
    device_program *program;
    for (int k = 0; k < 3; k++) {
        inputs[k] = tn_shape_of(call->inputs[k]->rank, call->inputs[k]->shape);
    }
    const tn_specialization constants[] = {{2, join_axes(&shape, inputs, &push)}};
    TN_TRY(program_create(call, &program));
    require_elements(program, call, TN_BOOL, 0);
    require_elements(program, call, output->dtype, 0);
    program_add(program, &(program_launch){
                             .shader = sized_shader(shaders, output->dtype),
                             .invocations = push.count,
                             .bindings = {bind_input_or(call, 0, bind_output(call, 0)),
                                          bind_input_or(call, 1, bind_output(call, 0)),
                                          bind_input_or(call, 2, bind_output(call, 0)),
                                          bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants),
                         });
    return program_finish(program, call);
}

const tn_kernel onnx_where_kernel = {SPIRV_KERNEL("onnx.Where", supports_where, prepare_where)};
