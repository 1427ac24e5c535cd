/* Element-wise operators of ONNX: activations, and functions of two tensors. */
#include "elementwise/binary.h"
#include "elementwise/pointwise.h"
#include "entries_onnx.h"

/* Activations: a function with up to two parameters, which are attributes. */

typedef struct parameters {
    double first;
    double second;
} parameters;

typedef struct activation {
    uint32_t function;
} activation;

static int32_t supports_activation(const tn_kernel_query *query) {
    const activation *own = query->kernel->context;
    return supports_function(query, own->function);
}

static tn_status prepare_activation(tn_prepare_call *call) {
    const activation *own = call->kernel->context;
    const parameters *given = call->attributes;
    return prepare_function(call, own->function, given == NULL ? 0 : given->first,
                            given == NULL ? 0 : given->second);
}

#define ACTIVATION_FIELDS(NAME, FUNCTION)                                                          \
    SPIRV_KERNEL("onnx." NAME, supports_activation, prepare_activation),                           \
        .context = &(const activation){UNARY_##FUNCTION}, IN_PLACE
#define ACTIVATION(KERNEL, NAME, FUNCTION)                                                         \
    const tn_kernel onnx_##KERNEL##_kernel = {ACTIVATION_FIELDS(NAME, FUNCTION)};
#define ACTIVATION_WITH(TABLE, KERNEL, NAME, FUNCTION)                                             \
    const tn_kernel onnx_##KERNEL##_kernel = {ACTIVATION_FIELDS(NAME, FUNCTION),                   \
                                              KERNEL_ATTRIBUTES(TABLE, parameters)};

/* A table row whose attribute has a name of its own. */
#define PARAMETER(NAME, FIELD, DEFAULT)                                                            \
    {                                                                                              \
        NAME, TN_ATTRIBUTE_FLOAT, 0, offsetof(parameters, FIELD), DEFAULT, NULL, NULL,             \
            "A parameter of the function."                                                         \
    }

static const tn_attribute hard_sigmoid_table[] = {PARAMETER("alpha", first, "0.2"),
                                                  PARAMETER("beta", second, "0.5")};
static const tn_attribute selu_table[] = {PARAMETER("alpha", first, "1.67326319217681884765625"),
                                          PARAMETER("gamma", second, "1.05070102214813232421875")};
static const tn_attribute shrink_table[] = {PARAMETER("lambd", first, "0.5"),
                                            PARAMETER("bias", second, "0")};
static const tn_attribute alpha_table[] = {PARAMETER("alpha", first, "1")};

ACTIVATION_WITH(hard_sigmoid_table, hard_sigmoid, "HardSigmoid", HARD_SIGMOID)
ACTIVATION_WITH(selu_table, selu, "Selu", SELU)
ACTIVATION_WITH(shrink_table, shrink, "Shrink", SHRINK)
ACTIVATION_WITH(alpha_table, celu, "Celu", CELU)
ACTIVATION_WITH(alpha_table, elu, "Elu", ELU)
ACTIVATION_WITH(alpha_table, leaky_relu, "LeakyRelu", LEAKY_RELU)
ACTIVATION_WITH(alpha_table, swish, "Swish", SWISH)
ACTIVATION_WITH(alpha_table, thresholded_relu, "ThresholdedRelu", THRESHOLDED_RELU)
ACTIVATION(hard_swish, "HardSwish", HARD_SWISH)
ACTIVATION(mish, "Mish", MISH)
ACTIVATION(round, "Round", ROUND_EVEN)
ACTIVATION(softplus, "Softplus", SOFTPLUS)

/* Among integers there is no NaN. */
static int32_t supports_sign(const tn_kernel_query *query) {
    return supports_function(query, UNARY_SIGN);
}

static tn_status prepare_sign(tn_prepare_call *call) {
    return prepare_function(call, is_real(call->outputs[0]->dtype) ? UNARY_SIGN_OR_NAN : UNARY_SIGN,
                            0, 0);
}

const tn_kernel onnx_sign_kernel = {
    SPIRV_KERNEL("onnx.Sign", supports_sign, prepare_sign),
    IN_PLACE,
};

enum { GELU_EXACT, GELU_APPROXIMATE };

typedef struct gelu_attributes {
    int32_t approximate;
} gelu_attributes;

static const tn_attribute gelu_table[] = {
    TN_FIELD_CHOICE(gelu_attributes, approximate, "none", "none|tanh", "Which function."),
};

static int32_t supports_gelu(const tn_kernel_query *query) {
    return supports_function(query, UNARY_GELU);
}

static tn_status prepare_gelu(tn_prepare_call *call) {
    const gelu_attributes *given = call->attributes;
    return prepare_function(
        call, given->approximate == GELU_APPROXIMATE ? UNARY_GELU_TANH : UNARY_GELU, 0, 0);
}

const tn_kernel onnx_gelu_kernel = {
    SPIRV_KERNEL("onnx.Gelu", supports_gelu, prepare_gelu),
    IN_PLACE,
    KERNEL_ATTRIBUTES(gelu_table, gelu_attributes),
};

/* Functions of two tensors, whose result is of their dtype or a bool. */

typedef struct two_operands {
    uint32_t function;
    int32_t gives_bool;
} two_operands;

static int32_t supports_two(const tn_kernel_query *query) {
    const two_operands *own = query->kernel->context;
    return supports_binary_function(query, own->function, own->gives_bool);
}

static tn_status prepare_two(tn_prepare_call *call) {
    const two_operands *own = call->kernel->context;
    return prepare_binary_function(call, own->function, own->gives_bool);
}

#define TWO_OPERANDS(KERNEL, NAME, FUNCTION, GIVES_BOOL)                                           \
    const tn_kernel onnx_##KERNEL##_kernel = {                                                     \
        SPIRV_KERNEL("onnx." NAME, supports_two, prepare_two),                                     \
        .context = &(const two_operands){BINARY_##FUNCTION, GIVES_BOOL},                           \
    };
TWO_OPERANDS(equal, "Equal", EQUAL, 1)
TWO_OPERANDS(greater, "Greater", GREATER, 1)
TWO_OPERANDS(greater_or_equal, "GreaterOrEqual", GREATER_EQUAL, 1)
TWO_OPERANDS(less, "Less", LESSER, 1)
TWO_OPERANDS(less_or_equal, "LessOrEqual", LESSER_EQUAL, 1)
TWO_OPERANDS(and, "And", LOGICAL_AND, 1)
TWO_OPERANDS(or, "Or", LOGICAL_OR, 1)
TWO_OPERANDS(xor, "Xor", LOGICAL_XOR, 1)
TWO_OPERANDS(pow, "Pow", POWER, 0)
TWO_OPERANDS(prelu, "PRelu", PRELU, 0)
