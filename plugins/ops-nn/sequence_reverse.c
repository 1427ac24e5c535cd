/* The operator SequenceReverse and its kernel. */
#include "operators_more.h"
#include "sequence.h"

static const tn_attribute attributes[] = {
    SEQUENCE_LENGTH_FIELD,
    TN_FIELD(sequence_attributes, axis, INT, "0", "[0,0]",
             "The axis of the steps, which is always 0."),
};

const tn_op sequence_reverse_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Each sequence with its steps in reverse order; steps beyond its length stay in their "
           "places.",
    OP_ATTRIBUTES(attributes, sequence_attributes),
    OP_NAMES(sequence_input_names, sequence_output_names),
    .arity = sequence_arity,
    .infer = sequence_infer,
};

typedef struct reversal {
    sequence_layout layout;
    char *target;
} reversal;

static void reverse_parts(void *context, int64_t begin, int64_t end) {
    const reversal *to = context;
    const sequence_layout *layout = &to->layout;
    for (int64_t part = begin; part < end; part++) {
        const int64_t step = part / layout->sequences;
        const int64_t sequence = part % layout->sequences;
        const int64_t steps = sequence_steps(layout, sequence);
        const int64_t source = step < steps ? steps - 1 - step : step;
        memcpy(to->target + sequence_offset(layout, step, sequence),
               layout->data + sequence_offset(layout, source, sequence), layout->part_size);
    }
}

static tn_status run(const tn_run_call *call) {
    reversal to = {sequence_layout_of(call), tn_data(call->outputs[0])};
    if (to.layout.part_size > 0) {
        tn_parallel_for(call->host, to.layout.steps * to.layout.sequences,
                        sequence_grain(&to.layout), reverse_parts, &to);
    }
    return TN_OK;
}

const tn_kernel sequence_reverse_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "SequenceReverse",
    .target = "cpu",
    .supports = sequence_supports,
    .run = run,
};
