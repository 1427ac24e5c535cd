/* Functions of a tensor and one number: _plus_scalar and its like. */
#include "entries_elementwise.h"
#include "functions.h"

enum { SIDE_RIGHT, SIDE_LEFT };

static const named_function functions[] = {
#define NAMED_FUNCTION(X, NAME, FUNCTION, SIDE) {#NAME, BINARY_##FUNCTION, SIDE_##SIDE},
    SCALAR_NAMES(NAMED_FUNCTION, X)
#undef NAMED_FUNCTION
};

static lane_shaders shaders = {
    {&shader_scalar_1},
    {&shader_scalar_2, &shader_scalar_2x4},
    {&shader_scalar_4, &shader_scalar_4x4},
    {&shader_scalar_8},
};

typedef struct scalar_attributes {
    double scalar;
} scalar_attributes;

static const tn_attribute fields[] = {
    TN_FIELD(scalar_attributes, scalar, FLOAT, "1", NULL, "The number."),
};

/* Integers are divided as real numbers when the scalar is on the left. */
static int32_t supports_scalar(const tn_kernel_query *query) {
    const named_function *function = find_function(functions, query->op);
    const int is_of_reals = function->function >= BINARY_POWER ||
                            (function->function == BINARY_DIVIDE && function->variant == SIDE_LEFT);
    return supports_one_dtype(query) && (!is_of_reals || is_real(query->outputs[0].dtype));
}

static tn_status prepare_scalar(tn_prepare_call *call) {
    const scalar_attributes *given = call->attributes;
    const named_function *function = find_function(functions, call->op);
    const tn_dtype dtype = call->outputs[0]->dtype;
    const element_bits scalar = bits_of_element(given->scalar, dtype);
    const tn_specialization constants[] = {
        {0, function->function}, {1, element_code(dtype)}, {2, function->variant == SIDE_LEFT}};
    uint32_t push[] = {0, scalar.low, scalar.high};
    return prepare_each_element(call, shaders, constants, 3, push, 3);
}

#define DEFINE_KERNEL(X, NAME, FUNCTION, SIDE)                                                     \
    const tn_kernel kernel_##NAME = {                                                              \
        SPIRV_KERNEL(#NAME, supports_scalar, prepare_scalar),                                      \
        .in_place = first_in_place,                                                                \
        .in_place_count = 1,                                                                       \
        KERNEL_ATTRIBUTES(fields, scalar_attributes),                                              \
    };
SCALAR_NAMES(DEFINE_KERNEL, X)
