#include "activation_operators.h"

#include "pointwise.h"

static const char *const input_names[] = {"X"};
static const char *const output_names[] = {"Y"};

#define ONE_INPUT(DOC, INFER)                                                                      \
    .struct_size = TN_OP_SIZE, .doc = DOC, .input_names = input_names,                             \
    .output_names = output_names, .input_name_count = 1, .output_name_count = 1, .infer = INFER
#define ATTRIBUTES_OF(TABLE, STRUCT)                                                               \
    .attributes = TABLE, .attribute_count = sizeof TABLE / sizeof *TABLE,                          \
    .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(STRUCT)

#define DEFINE_OF_NONE(NAME, FUNCTION, DOC)                                                        \
    const tn_op activation_operator_##NAME = {                                                     \
        ONE_INPUT(DOC " Computed for each element x.", tn_infer_elementwise)};                     \
    tn_status prepare_activation_##NAME(tn_prepare_call *call) {                                   \
        const double parameters[UNARY_PARAMETERS] = {0, 0};                                        \
        return prepare_unary(call, UNARY_##FUNCTION, parameters);                                  \
    }
ACTIVATION_OPERATORS_OF_NONE(DEFINE_OF_NONE)

#define DEFINE_OF_ONE(NAME, FUNCTION, FIRST, FIRST_DEFAULT, DOC)                                   \
    typedef struct FUNCTION##_attributes {                                                         \
        double FIRST;                                                                              \
    } FUNCTION##_attributes;                                                                       \
    static const tn_attribute FUNCTION##_table[] = {                                               \
        TN_FIELD(FUNCTION##_attributes, FIRST, FLOAT, FIRST_DEFAULT, NULL, "As in: " DOC)};        \
    const tn_op activation_operator_##NAME = {                                                     \
        ONE_INPUT(DOC " Computed for each element x.", tn_infer_elementwise),                      \
        ATTRIBUTES_OF(FUNCTION##_table, FUNCTION##_attributes)};                                   \
    tn_status prepare_activation_##NAME(tn_prepare_call *call) {                                   \
        const FUNCTION##_attributes *own = call->attributes;                                       \
        const double parameters[UNARY_PARAMETERS] = {own->FIRST, 0};                               \
        return prepare_unary(call, UNARY_##FUNCTION, parameters);                                  \
    }
ACTIVATION_OPERATORS_OF_ONE(DEFINE_OF_ONE)

#define DEFINE_OF_TWO(NAME, FUNCTION, FIRST, FIRST_DEFAULT, SECOND, SECOND_DEFAULT, DOC)           \
    typedef struct FUNCTION##_attributes {                                                         \
        double FIRST;                                                                              \
        double SECOND;                                                                             \
    } FUNCTION##_attributes;                                                                       \
    static const tn_attribute FUNCTION##_table[] = {                                               \
        TN_FIELD(FUNCTION##_attributes, FIRST, FLOAT, FIRST_DEFAULT, NULL, "As in: " DOC),         \
        TN_FIELD(FUNCTION##_attributes, SECOND, FLOAT, SECOND_DEFAULT, NULL, "As in: " DOC)};      \
    const tn_op activation_operator_##NAME = {                                                     \
        ONE_INPUT(DOC " Computed for each element x.", tn_infer_elementwise),                      \
        ATTRIBUTES_OF(FUNCTION##_table, FUNCTION##_attributes)};                                   \
    tn_status prepare_activation_##NAME(tn_prepare_call *call) {                                   \
        const FUNCTION##_attributes *own = call->attributes;                                       \
        const double parameters[UNARY_PARAMETERS] = {own->FIRST, own->SECOND};                     \
        return prepare_unary(call, UNARY_##FUNCTION, parameters);                                  \
    }
ACTIVATION_OPERATORS_OF_TWO(DEFINE_OF_TWO)

/* BitwiseNot */

static tn_status infer_bits(tn_infer_call *call) {
    TN_TRY(tn_infer_elementwise(call));
    if (call->inputs[0].dtype != 0 && is_floating(call->inputs[0].dtype)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "X is %s, but an integer is expected",
                       tn_dtype_name(call->inputs[0].dtype));
    }
    return TN_OK;
}

const tn_op activation_operator_BitwiseNot = {
    ONE_INPUT("The bits of x, each the other way round, for each element x.", infer_bits)};

tn_status prepare_activation_BitwiseNot(tn_prepare_call *call) {
    const double parameters[UNARY_PARAMETERS] = {0, 0};
    return prepare_unary(call, UNARY_bitwise_not, parameters);
}

/* Gelu */

typedef struct gelu_attributes {
    int32_t approximate;
} gelu_attributes;

enum { GELU_EXACT, GELU_TANH };

static const tn_attribute gelu_table[] = {
    TN_FIELD_CHOICE(gelu_attributes, approximate, "none", "none|tanh",
                    "Whether the distribution function is exact or approximated by a tanh."),
};

const tn_op activation_operator_Gelu = {
    ONE_INPUT("x times the normal distribution function of x, for each element x.",
              tn_infer_elementwise),
    ATTRIBUTES_OF(gelu_table, gelu_attributes)};

tn_status prepare_activation_Gelu(tn_prepare_call *call) {
    const gelu_attributes *own = call->attributes;
    const double parameters[UNARY_PARAMETERS] = {0, 0};
    return prepare_unary(call, own->approximate == GELU_TANH ? UNARY_gelu_tanh : UNARY_gelu,
                         parameters);
}

/* IsNaN and IsInf give bool. */

static tn_status infer_bool(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "Y", &call->outputs[0].dtype, TN_BOOL));
    return tn_infer_same_shape(call->host, "Y", &call->outputs[0].shape, &call->inputs[0].shape);
}

const tn_op activation_operator_IsNaN = {
    ONE_INPUT("Whether x is not a number, for each element x.", infer_bool)};

tn_status prepare_activation_IsNaN(tn_prepare_call *call) {
    const double parameters[UNARY_PARAMETERS] = {0, 0};
    return prepare_unary(call, UNARY_is_nan, parameters);
}

typedef struct is_inf_attributes {
    int32_t detect_negative;
    int32_t detect_positive;
} is_inf_attributes;

static const tn_attribute is_inf_table[] = {
    TN_FIELD(is_inf_attributes, detect_negative, BOOL, "True", NULL,
             "Whether minus infinity counts."),
    TN_FIELD(is_inf_attributes, detect_positive, BOOL, "True", NULL, "Whether infinity counts."),
};

const tn_op activation_operator_IsInf = {
    ONE_INPUT("Whether x is infinite, for each element x.", infer_bool),
    ATTRIBUTES_OF(is_inf_table, is_inf_attributes)};

tn_status prepare_activation_IsInf(tn_prepare_call *call) {
    const is_inf_attributes *own = call->attributes;
    const double parameters[UNARY_PARAMETERS] = {own->detect_negative, own->detect_positive};
    return prepare_unary(call, UNARY_is_inf, parameters);
}

/* CastLike */

static const char *const cast_names[] = {"input", "target_type"};

static tn_status infer_cast_like(tn_infer_call *call) {
    TN_TRY(tn_infer_dtype(call->host, "output", &call->outputs[0].dtype, call->inputs[1].dtype));
    return tn_infer_same_shape(call->host, "output", &call->outputs[0].shape,
                               &call->inputs[0].shape);
}

typedef struct cast_attributes {
    int32_t saturate;
    const char *round_mode;
} cast_attributes;

static const tn_attribute cast_table[] = {
    TN_FIELD(cast_attributes, saturate, BOOL, "True", NULL,
             "Accepted for compatibility; has no effect on these dtypes."),
    TN_FIELD(cast_attributes, round_mode, STRING, "up", NULL,
             "Accepted for compatibility; has no effect on these dtypes."),
};

const tn_op cast_like_operator = {
    .struct_size = TN_OP_SIZE,
    .doc = "The elements of the first input in the dtype of the second.",
    ATTRIBUTES_OF(cast_table, cast_attributes),
    .input_names = cast_names,
    .output_names = output_names,
    .input_name_count = 2,
    .output_name_count = 1,
    .infer = infer_cast_like,
};
