/* CumSum and CumProd: what comes before along an axis, put together. */
#include "elementwise/elements.h"
#include "entries_onnx.h"
#include "lists.h"

static sized_shaders shaders = SHADERS_TO_8(cumulate);

typedef struct cumulate_attributes {
    int32_t exclusive;
    int32_t reverse;
} cumulate_attributes;

static const tn_attribute table[] = {
    TN_FIELD(cumulate_attributes, exclusive, BOOL, "False", NULL, "Without the element itself."),
    TN_FIELD(cumulate_attributes, reverse, BOOL, "False", NULL, "From the other end."),
};

static axis_split split_of(const known_list *axis, int32_t rank, const int64_t *extents) {
    return rank == 0 ? (axis_split){1, 1, 1} : split_axis(extents, rank, axis->values[0]);
}

static int32_t supports_cumulation(const tn_kernel_query *query) {
    const known_list axis = list_in_query(query, 1, NULL);
    const tn_shape *data = &query->inputs[0].shape;
    return axis.is_known && axis.count == 1 &&
           element_code(query->inputs[0].dtype) != ELEMENT_NONE && supports_sizes(query) &&
           split_of(&axis, data->rank, data->extents).extent <= PROGRAM_MAX_LOOPS;
}

static tn_status prepare_cumulation(tn_prepare_call *call, uint32_t multiplies) {
    const cumulate_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const known_list axis = list_in_call(call, 1, NULL);
    const axis_split split = split_of(&axis, data->rank, data->shape);
    const uint32_t push[] = {(uint32_t)(split.outer * split.inner), (uint32_t)split.extent,
                             (uint32_t)split.inner};
    const tn_specialization constants[] = {{1, element_code(data->dtype)},
                                           {2, multiplies},
                                           {3, (uint32_t)given->exclusive},
                                           {4, (uint32_t)given->reverse}};
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, data->dtype, 1);
    if (split.extent > 0) {
        program_add(program, &(program_launch){
                                 .shader = sized_shader(shaders, data->dtype),
                                 .invocations = push[0],
                                 .bindings = {bind_input(call, 0), bind_output(call, 0)},
                                 PROGRAM_PUSH(push),
                                 PROGRAM_CONSTANTS(constants),
                             });
    }
    return program_finish(program, call);
}

static tn_status prepare_sum(tn_prepare_call *call) {
    return prepare_cumulation(call, 0);
}

static tn_status prepare_product(tn_prepare_call *call) {
    return prepare_cumulation(call, 1);
}

const tn_kernel onnx_cum_sum_kernel = {
    SPIRV_KERNEL("onnx.CumSum", supports_cumulation, prepare_sum),
    KERNEL_ATTRIBUTES(table, cumulate_attributes),
};
const tn_kernel onnx_cum_prod_kernel = {
    SPIRV_KERNEL("onnx.CumProd", supports_cumulation, prepare_product),
    KERNEL_ATTRIBUTES(table, cumulate_attributes),
};
