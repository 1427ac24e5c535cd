/* SequenceMask, SequenceReverse and SequenceLast. */
#include "entries_elementwise.h"
#include "numbers.h"

static sized_shaders shaders = SHADERS_TO_8(sequence);

/* The functions of sequence.comp. */
enum { SEQUENCE_MASK, SEQUENCE_REVERSE, SEQUENCE_LAST };

typedef struct sequence_attributes {
    double value;
    int64_t axis;
} sequence_attributes;

static const tn_attribute mask_fields[] = {
    TN_FIELD(sequence_attributes, value, FLOAT, "0", NULL, "In the place of masked steps."),
    TN_FIELD(sequence_attributes, axis, INT, "0", "[0,1]", "The axis of the steps."),
};

static const tn_attribute axis_fields[] = {
    TN_FIELD(sequence_attributes, axis, INT, "0", "[0,1]", "The axis of the steps."),
};

static int has_lengths(uint32_t input_count) {
    return input_count > 1;
}

static int32_t supports_sequence(const tn_kernel_query *query) {
    return supports_sizes(query) &&
           (!has_lengths(query->input_count) || is_number_dtype(query->inputs[1].dtype));
}

/* A value that an integer cannot hold is left to the CPU's kernel. */
static int32_t supports_mask(const tn_kernel_query *query) {
    const sequence_attributes *given = query->attributes;
    const int is_small = given->value >= 0 && given->value <= 127;
    return (is_real(query->inputs[0].dtype) || query->inputs[0].dtype == TN_F64 || is_small) &&
           supports_sequence(query);
}

typedef struct sequence_push {
    uint32_t count;
    uint32_t part;
    uint32_t steps;
    uint32_t sequences;
    uint32_t step_stride;
    uint32_t sequence_stride;
    uint32_t value_low;
    uint32_t value_high;
} sequence_push;

static sequence_push push_of(const tn_prepare_call *call) {
    const sequence_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const int steps_first = given->axis == 0;
    const element_bits value = bits_of_element(given->value, data->dtype);
    return (sequence_push){
        .count = (uint32_t)tn_element_count(call->outputs[0]),
        .part = (uint32_t)tn_extent_product(data->shape, 2, data->rank),
        .steps = (uint32_t)data->shape[given->axis],
        .sequences = (uint32_t)data->shape[1 - given->axis],
        .step_stride = steps_first ? (uint32_t)data->shape[1] : 1,
        .sequence_stride = steps_first ? 1 : (uint32_t)data->shape[1],
        .value_low = value.low,
        .value_high = value.high,
    };
}

static tn_status prepare_sequence(tn_prepare_call *call, uint32_t function) {
    const int lengths = has_lengths(call->input_count);
    const sequence_push push = push_of(call);
    const tn_specialization constants[] = {
        {3, function},
        number_constant(lengths ? call->inputs[1]->dtype : TN_F32),
        {5, (uint32_t)lengths},
    };
    device_program *program;
    TN_TRY(program_create(call, &program));
    require_elements(program, call, call->inputs[0]->dtype, 0);
    program_add(program, &(program_launch){
                             .shader = sized_shader(shaders, call->inputs[0]->dtype),
                             .invocations = push.count,
                             .bindings = {bind_input(call, 0), bind_input(call, (uint32_t)lengths),
                                          bind_output(call, 0)},
                             PROGRAM_PUSH(push),
                             PROGRAM_CONSTANTS(constants),
                         });
    return program_finish(program, call);
}

static tn_status prepare_mask(tn_prepare_call *call) {
    return prepare_sequence(call, SEQUENCE_MASK);
}

static tn_status prepare_reverse(tn_prepare_call *call) {
    return prepare_sequence(call, SEQUENCE_REVERSE);
}

static tn_status prepare_last(tn_prepare_call *call) {
    return prepare_sequence(call, SEQUENCE_LAST);
}

const tn_kernel kernel_SequenceMask = {
    SPIRV_KERNEL("SequenceMask", supports_mask, prepare_mask),
    .in_place = first_in_place,
    .in_place_count = 1,
    KERNEL_ATTRIBUTES(mask_fields, sequence_attributes),
};

const tn_kernel kernel_SequenceReverse = {
    SPIRV_KERNEL("SequenceReverse", supports_sequence, prepare_reverse),
    KERNEL_ATTRIBUTES(axis_fields, sequence_attributes),
};

const tn_kernel kernel_SequenceLast = {
    SPIRV_KERNEL("SequenceLast", supports_sequence, prepare_last),
    KERNEL_ATTRIBUTES(axis_fields, sequence_attributes),
};
