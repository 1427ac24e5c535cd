/* TopK: each element's rank along the axis is the number of elements that come before it. */
#include "elementwise/functions.h"
#include "entries_onnx.h"

/* A rank takes as many steps as the axis has elements, so that a row takes their square. */
#define LONGEST_AXIS 32768

static sized_shaders shaders = SHADERS_TO_8(top_k);

typedef struct top_k_attributes {
    int64_t axis;
    int32_t largest;
} top_k_attributes;

static const tn_attribute table[] = {
    TN_FIELD(top_k_attributes, axis, INT, "-1", "[-32,31]", "The axis to choose along."),
    TN_FIELD(top_k_attributes, largest, BOOL, "True", NULL, "Whether the largest come out."),
};

static int32_t supports_top_k(const tn_kernel_query *query) {
    const top_k_attributes *given = query->attributes;
    const tn_shape *data = &query->inputs[0].shape;
    return data->rank > 0 && element_code(query->inputs[0].dtype) != ELEMENT_NONE &&
           supports_sizes(query) &&
           split_axis(data->extents, data->rank, given->axis).extent <= LONGEST_AXIS;
}

static tn_status prepare_top_k(tn_prepare_call *call) {
    const top_k_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const axis_split split = split_axis(data->shape, data->rank, given->axis);
    const axis_split chosen = split_axis(call->outputs[0]->shape, data->rank, given->axis);
    const uint32_t push[] = {(uint32_t)tn_element_count(data), (uint32_t)split.extent,
                             (uint32_t)split.inner, (uint32_t)chosen.extent};
    const tn_specialization constants[] = {{1, element_code(data->dtype)},
                                           {2, (uint32_t)given->largest}};
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, data->dtype, 1);
    if (chosen.extent > 0) {
        program_add(program, &(program_launch){
                                 .shader = sized_shader(shaders, data->dtype),
                                 .invocations = push[0],
                                 .bindings = {bind_input(call, 0), bind_output(call, 0),
                                              bind_output(call, 1)},
                                 PROGRAM_PUSH(push),
                                 PROGRAM_CONSTANTS(constants),
                             });
    }
    return program_finish(program, call);
}

const tn_kernel onnx_top_k_kernel = {
    SPIRV_KERNEL("onnx.TopK", supports_top_k, prepare_top_k),
    KERNEL_ATTRIBUTES(table, top_k_attributes),
};
