#include "sequence.h"

#include "axis_split.h"
#include "sequence_length.h"
#include "size.h"

const char *const sequence_input_names[2] = {"data", "sequence_length"};
const char *const sequence_output_names[1] = {"output"};

tn_status sequence_arity(tn_arity_call *call) {
    const sequence_attributes *given = call->attributes;
    call->input_count = given->use_sequence_length ? 2 : 1;
    return TN_OK;
}

tn_status sequence_infer_length(tn_infer_call *call) {
    const sequence_attributes *given = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    if (data->rank < 0) {
        return TN_OK;
    }
    if (data->rank < 2) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has rank %d, but axes for steps and sequences are expected",
                       (int)data->rank);
    }
    if (call->input_count < 2) {
        return TN_OK;
    }
    const tn_shape lengths = tn_shape_of(1, &data->extents[1 - given->axis]);
    return tn_infer_shape(call->host, "sequence_length", &call->inputs[1].shape, &lengths);
}

tn_status sequence_infer(tn_infer_call *call) {
    tn_tensor_type *data = &call->inputs[0];
    tn_tensor_type *output = &call->outputs[0];
    TN_TRY(tn_infer_same_shape(call->host, "data", &data->shape, &output->shape));
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    TN_TRY(tn_infer_dtype(call->host, "data", &data->dtype, output->dtype));
    return sequence_infer_length(call);
}

int32_t sequence_supports(const tn_kernel_query *query) {
    return query->input_count < 2 || is_sequence_length_dtype(query->inputs[1].dtype);
}

sequence_layout sequence_layout_of(const tn_run_call *call) {
    const sequence_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const size_t element_size = TN_DTYPE_SIZE(data->dtype);
    const int64_t part_length = tn_extent_product(data->shape, 2, data->rank);
    const int steps_first = given->axis == 0;
    return (sequence_layout){
        .data = tn_data(data),
        .lengths = call->input_count > 1 ? call->inputs[1] : NULL,
        .steps = data->shape[given->axis],
        .sequences = data->shape[1 - given->axis],
        .part_length = part_length,
        .element_size = element_size,
        .part_size = (size_t)part_length * element_size,
        .step_stride = steps_first ? data->shape[1] : 1,
        .sequence_stride = steps_first ? 1 : data->shape[1],
    };
}

int64_t sequence_steps(const sequence_layout *layout, int64_t sequence) {
    return layout->lengths != NULL ? sequence_length_at(layout->lengths, sequence, layout->steps)
                                   : layout->steps;
}

int64_t sequence_grain(const sequence_layout *layout) {
    return grain_of(GRAIN_ELEMENTS, layout->part_length);
}
