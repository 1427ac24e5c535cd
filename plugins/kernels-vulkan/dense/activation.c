/* Activation, LeakyReLU and LogisticRegressionOutput. */
#include "entries_dense.h"
#include "kernels.h"

/* The functions of unary.comp. */
enum {
    UNARY_RELU,
    UNARY_SIGMOID,
    UNARY_SOFTRELU,
    UNARY_SOFTSIGN,
    UNARY_TANH,
    UNARY_ELU,
    UNARY_GELU,
    UNARY_LEAKY,
    UNARY_SELU
};

static tn_status prepare_unary(tn_prepare_call *call, uint32_t function, double slope) {
    const tn_view *data = call->inputs[0];
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t count;
        float slope;
    } push = {(uint32_t)tn_element_count(data), (float)slope};
    const tn_specialization constants[] = {{0, function}};
    program_add(program, &(program_launch){.shader = SHADER_OF(unary, data->dtype),
                                           .invocations = push.count,
                                           .bindings = {bind_input(call, 0), bind_output(call, 0)},
                                           PROGRAM_PUSH(push),
                                           PROGRAM_CONSTANTS(constants)});
    return program_finish(program, call);
}

typedef struct activation_attributes {
    int32_t act_type; /* the first functions of unary.comp in their order */
} activation_attributes;

static const tn_attribute activation_fields[] = {
    TN_FIELD_CHOICE(activation_attributes, act_type, NULL, "relu|sigmoid|softrelu|softsign|tanh",
                    "The function."),
};

static tn_status prepare_activation(tn_prepare_call *call) {
    const activation_attributes *given = call->attributes;
    return prepare_unary(call, (uint32_t)given->act_type, 0);
}

const tn_kernel activation_kernel = {
    SPIRV_KERNEL("Activation", supports_sizes, prepare_activation),
    FLOAT_DTYPES,
    IN_PLACE,
    KERNEL_ATTRIBUTES(activation_fields, activation_attributes),
};

static tn_status prepare_logistic(tn_prepare_call *call) {
    return prepare_unary(call, UNARY_SIGMOID, 0);
}

const tn_kernel logistic_regression_output_kernel = {
    SPIRV_KERNEL("LogisticRegressionOutput", supports_float_data, prepare_logistic),
    IN_PLACE,
};

enum { LEAKY_ELU, LEAKY_GELU, LEAKY_PLAIN, LEAKY_PRELU, LEAKY_RRELU, LEAKY_SELU };

typedef struct leaky_attributes {
    int32_t act_type;
    double slope;
    double lower_bound;
    double upper_bound;
} leaky_attributes;

static const tn_attribute leaky_fields[] = {
    TN_FIELD_CHOICE(leaky_attributes, act_type, "leaky", "elu|gelu|leaky|prelu|rrelu|selu",
                    "What becomes of negative elements."),
    TN_FIELD(leaky_attributes, slope, FLOAT, "0.25", NULL, "The factor on negative elements."),
    TN_FIELD(leaky_attributes, lower_bound, FLOAT, "0.125", NULL, "The least slope of rrelu."),
    TN_FIELD(leaky_attributes, upper_bound, FLOAT, "0.334", NULL, "The largest slope of rrelu."),
};

/* The slopes lie along axis 1, or along the only axis; there may be one for all elements. */
static tn_status prepare_prelu(tn_prepare_call *call) {
    const tn_view *data = call->inputs[0];
    device_program *program;
    TN_TRY(program_create(call, &program));
    const struct {
        uint32_t count;
        uint32_t inner;
        uint32_t slopes;
    } push = {(uint32_t)tn_element_count(data),
              (uint32_t)tn_extent_product(data->shape, 2, data->rank),
              (uint32_t)tn_element_count(call->inputs[1])};
    program_add(program, &(program_launch){.shader = SHADER_OF(prelu, data->dtype),
                                           .invocations = push.count,
                                           .bindings = {bind_input(call, 0), bind_input(call, 1),
                                                        bind_output(call, 0)},
                                           PROGRAM_PUSH(push)});
    return program_finish(program, call);
}

static tn_status prepare_leaky(tn_prepare_call *call) {
    static const uint32_t functions[] = {
        [LEAKY_ELU] = UNARY_ELU,     [LEAKY_GELU] = UNARY_GELU, [LEAKY_PLAIN] = UNARY_LEAKY,
        [LEAKY_RRELU] = UNARY_LEAKY, [LEAKY_SELU] = UNARY_SELU,
    };
    const leaky_attributes *given = call->attributes;
    if (given->act_type == LEAKY_PRELU) {
        return prepare_prelu(call);
    }
    const double middle = (given->lower_bound + given->upper_bound) / 2;
    return prepare_unary(call, functions[given->act_type],
                         given->act_type == LEAKY_RRELU ? middle : given->slope);
}

const tn_kernel leaky_relu_kernel = {
    SPIRV_KERNEL("LeakyReLU", supports_sizes, prepare_leaky),
    FLOAT_DTYPES,
    IN_PLACE,
    KERNEL_ATTRIBUTES(leaky_fields, leaky_attributes),
};
