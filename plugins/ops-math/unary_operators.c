#include "unary_operators.h"

#include "gradients.h"
#include "pointwise.h"
#include "storage.h"

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

static tn_status prepare_without_parameters(tn_prepare_call *call, unary_function function) {
    const double none[UNARY_PARAMETERS] = {0, 0};
    return prepare_unary(call, function, none);
}

static tn_status infer_unary(tn_infer_call *call, unary_function function) {
    TN_TRY(tn_infer_elementwise(call));
    return infer_pointwise_storage(call, unary_keeps_zero(function));
}

#define DEFINE_UNARY_OPERATOR(NAME, FUNCTION, GRADIENT, DOC)                                       \
    static tn_status infer_unary_##NAME(tn_infer_call *call) {                                     \
        return infer_unary(call, UNARY_##FUNCTION);                                                \
    }                                                                                              \
    const tn_op unary_operator_##NAME = {                                                          \
        .struct_size = TN_OP_SIZE,                                                                 \
        .flags = TN_OP_SPARSE,                                                                     \
        .doc = DOC " Computed for each element x.",                                                \
        .input_names = input_names,                                                                \
        .output_names = output_names,                                                              \
        .input_name_count = 1,                                                                     \
        .output_name_count = 1,                                                                    \
        .infer = infer_unary_##NAME,                                                               \
        .gradient = GRADIENT,                                                                      \
    };                                                                                             \
    tn_status prepare_unary_##NAME(tn_prepare_call *call) {                                        \
        return prepare_without_parameters(call, UNARY_##FUNCTION);                                 \
    }
UNARY_OPERATORS(DEFINE_UNARY_OPERATOR)
