#include "typed_binary_operators.h"

#include "binary_kernels.h"
#include "binary_operators.h"

static const char *const input_names[] = {"A", "B"};
static const char *const output_names[] = {"output"};

static tn_status infer_operands(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "B", &call->inputs[1].dtype, call->inputs[0].dtype));
    return tn_infer_dtype(call->host, "A", &call->inputs[0].dtype, call->inputs[1].dtype);
}

static tn_status infer_bool_result(tn_infer_call *call) {
    TN_TRY(infer_operands(call));
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, TN_BOOL));
    return infer_broadcast_shape(call);
}

static tn_status infer_one_dtype(tn_infer_call *call) {
    TN_TRY(tn_infer_one_dtype(call));
    return infer_broadcast_shape(call);
}

static tn_status infer_integers(tn_infer_call *call) {
    TN_TRY(infer_one_dtype(call));
    if (call->inputs[0].dtype != 0 && is_floating(call->inputs[0].dtype)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "A is %s, but an integer is expected",
                       tn_dtype_name(call->inputs[0].dtype));
    }
    return TN_OK;
}

static tn_status infer_first_dtype(tn_infer_call *call) {
    tn_dtype *base = &call->inputs[0].dtype;
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, *base));
    TN_TRY(tn_infer_dtype(call->host, "A", base, call->outputs[0].dtype));
    return infer_broadcast_shape(call);
}

#define DEFINE_TYPED_OPERATOR(NAME, FUNCTION, INFER, DOC)                                          \
    const tn_op typed_operator_##NAME = {                                                          \
        .struct_size = TN_OP_SIZE,                                                                 \
        .doc = "Element by element, stretched to one shape: " DOC ".",                             \
        .input_names = input_names,                                                                \
        .output_names = output_names,                                                              \
        .input_name_count = 2,                                                                     \
        .output_name_count = 1,                                                                    \
        .infer = INFER,                                                                            \
    };                                                                                             \
    tn_status prepare_typed_##NAME(tn_prepare_call *call) {                                        \
        return prepare_binary(call, BINARY_##FUNCTION);                                            \
    }
TYPED_BINARY_OPERATORS(DEFINE_TYPED_OPERATOR)

#define ATTRIBUTES_OF(TABLE, STRUCT)                                                               \
    .attributes = TABLE, .attribute_count = sizeof TABLE / sizeof *TABLE,                          \
    .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(STRUCT),                    \
    .input_names = input_names, .output_names = output_names, .input_name_count = 2,               \
    .output_name_count = 1

/* Mod */

typedef struct mod_attributes {
    int32_t fmod;
} mod_attributes;

static const tn_attribute mod_table[] = {
    TN_FIELD(mod_attributes, fmod, BOOL, "False", NULL,
             "Whether the remainder has the sign of A, otherwise that of B."),
};

const tn_op remainder_operator = {
    .struct_size = TN_OP_SIZE,
    .doc = "Element by element, stretched to one shape: the remainder of A / B.",
    ATTRIBUTES_OF(mod_table, mod_attributes),
    .infer = infer_one_dtype,
};

tn_status prepare_remainder(tn_prepare_call *call) {
    const mod_attributes *own = call->attributes;
    return prepare_binary(call, own->fmod ? BINARY_remainder : BINARY_mod);
}

/* BitShift */

typedef struct shift_attributes {
    int32_t direction;
} shift_attributes;

enum { SHIFT_LEFT, SHIFT_RIGHT };

static const tn_attribute shift_table[] = {
    TN_FIELD_CHOICE(shift_attributes, direction, NULL, "LEFT|RIGHT", "Where the bits go."),
};

const tn_op bit_shift_operator = {
    .struct_size = TN_OP_SIZE,
    .doc = "Element by element, stretched to one shape: the bits of A, shifted by B places.",
    ATTRIBUTES_OF(shift_table, shift_attributes),
    .infer = infer_integers,
};

tn_status prepare_bit_shift(tn_prepare_call *call) {
    const shift_attributes *own = call->attributes;
    return prepare_binary(call,
                          own->direction == SHIFT_LEFT ? BINARY_shift_left : BINARY_shift_right);
}
