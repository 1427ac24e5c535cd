/* The operator SequenceLast and its kernel. */
#include "axis_split.h"
#include "operators_more.h"
#include "sequence.h"

static const tn_attribute attributes[] = {
    SEQUENCE_LENGTH_FIELD,
    TN_FIELD(sequence_attributes, axis, INT, "0", "[0,1]", "The axis of the steps."),
};

static tn_status infer(tn_infer_call *call) {
    const sequence_attributes *given = call->attributes;
    const int32_t axis = (int32_t)given->axis;
    tn_tensor_type *data = &call->inputs[0];
    tn_tensor_type *output = &call->outputs[0];
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    TN_TRY(tn_infer_dtype(call->host, "data", &data->dtype, output->dtype));
    if (output->shape.rank >= axis && output->shape.rank < TN_MAX_RANK) {
        const tn_shape with_steps = shape_with_axis(&output->shape, axis);
        TN_TRY(tn_infer_shape(call->host, "data", &data->shape, &with_steps));
    }
    TN_TRY(sequence_infer_length(call));
    if (data->shape.rank < 0) {
        return TN_OK;
    }
    if (data->shape.extents[axis] == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "data has no steps, so there is no last");
    }
    const tn_shape without_steps = shape_without_axis(&data->shape, axis);
    return tn_infer_shape(call->host, "output", &output->shape, &without_steps);
}

const tn_op sequence_last_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The last step of each sequence that counts; the first where none does.",
    OP_ATTRIBUTES(attributes, sequence_attributes),
    OP_NAMES(sequence_input_names, sequence_output_names),
    .arity = sequence_arity,
    .infer = infer,
};

typedef struct selection {
    sequence_layout layout;
    char *target;
} selection;

static void select_parts(void *context, int64_t begin, int64_t end) {
    const selection *to = context;
    const sequence_layout *layout = &to->layout;
    for (int64_t sequence = begin; sequence < end; sequence++) {
        const int64_t steps = sequence_steps(layout, sequence);
        memcpy(to->target + (size_t)sequence * layout->part_size,
               layout->data + sequence_offset(layout, steps > 0 ? steps - 1 : 0, sequence),
               layout->part_size);
    }
}

static tn_status run(const tn_run_call *call) {
    selection to = {sequence_layout_of(call), tn_data(call->outputs[0])};
    if (to.layout.part_size > 0) {
        tn_parallel_for(call->host, to.layout.sequences, sequence_grain(&to.layout), select_parts,
                        &to);
    }
    return TN_OK;
}

const tn_kernel sequence_last_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "SequenceLast",
    .target = "cpu",
    .supports = sequence_supports,
    .run = run,
};
