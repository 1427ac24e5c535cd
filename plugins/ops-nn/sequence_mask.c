/* The operator SequenceMask and its kernel. */
#include "operators_more.h"
#include "sequence.h"

static const tn_attribute attributes[] = {
    SEQUENCE_LENGTH_FIELD,
    TN_FIELD(sequence_attributes, value, FLOAT, "0", NULL,
             "What takes the place of the steps that do not count."),
    TN_FIELD(sequence_attributes, axis, INT, "0", "[0,1]", "The axis of the steps."),
};

const tn_op sequence_mask_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The sequences as they are, with a value in the place of all steps beyond their "
           "lengths.",
    OP_ATTRIBUTES(attributes, sequence_attributes),
    OP_NAMES(sequence_input_names, sequence_output_names),
    .arity = sequence_arity,
    .infer = sequence_infer,
};

/* The value without its fraction, or the nearest to it that there is. */
static int64_t integer_of(double value, int64_t least, int64_t most) {
    if (!(value > (double)least)) {
        return value == value ? least : 0;
    }
    return value < (double)most ? (int64_t)value : most;
}

/* The value as one element. Integers are little-endian, so the low bytes of a wide one will do. */
static void encode(double value, tn_dtype dtype, void *element) {
    const size_t size = TN_DTYPE_SIZE(dtype);
    switch (dtype) {
    case TN_F16: memcpy(element, &(uint16_t){tn_f16_from_float((float)value)}, size); return;
    case TN_BF16: memcpy(element, &(uint16_t){tn_bf16_from_float((float)value)}, size); return;
    case TN_F32: memcpy(element, &(float){(float)value}, size); return;
    case TN_F64: memcpy(element, &value, size); return;
    case TN_BOOL: memcpy(element, &(uint8_t){value != 0}, size); return;
    default: break;
    }
    const int is_signed = dtype == TN_I8 || dtype == TN_I16 || dtype == TN_I32 || dtype == TN_I64;
    const int value_bits = (int)size * 8 - is_signed;
    const int64_t most = value_bits >= 63 ? INT64_MAX : ((int64_t)1 << value_bits) - 1;
    const int64_t whole = integer_of(value, is_signed ? -most - 1 : 0, most);
    memcpy(element, &whole, size);
}

/* Fills a part with one element: what is filled already is copied behind itself. */
static void fill_part(char *part, const void *element, size_t element_size, size_t part_size) {
    memcpy(part, element, element_size);
    for (size_t filled = element_size; filled < part_size; filled *= 2) {
        memcpy(part + filled, part, filled < part_size - filled ? filled : part_size - filled);
    }
}

typedef struct masking {
    sequence_layout layout;
    char *target;
    uint64_t element; /* its first bytes: what takes the place of steps that do not count */
} masking;

static void mask_parts(void *context, int64_t begin, int64_t end) {
    const masking *to = context;
    const sequence_layout *layout = &to->layout;
    for (int64_t part = begin; part < end; part++) {
        const int64_t step = part / layout->step_stride % layout->steps;
        const int64_t sequence = part / layout->sequence_stride % layout->sequences;
        const size_t offset = (size_t)part * layout->part_size;
        if (step >= sequence_steps(layout, sequence)) {
            fill_part(to->target + offset, &to->element, layout->element_size, layout->part_size);
        } else if (to->target != layout->data) {
            memcpy(to->target + offset, layout->data + offset, layout->part_size);
        }
    }
}

static tn_status run(const tn_run_call *call) {
    const sequence_attributes *given = call->attributes;
    masking to = {sequence_layout_of(call), tn_data(call->outputs[0]), 0};
    encode(given->value, call->inputs[0]->dtype, &to.element);
    if (to.layout.part_size > 0) {
        tn_parallel_for(call->host, to.layout.steps * to.layout.sequences,
                        sequence_grain(&to.layout), mask_parts, &to);
    }
    return TN_OK;
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel sequence_mask_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "SequenceMask",
    .target = "cpu",
    .in_place = in_place,
    .in_place_count = 1,
    .supports = sequence_supports,
    .run = run,
};
