#include "scalar_operators.h"

#include "gradients.h"
#include "pointwise.h"
#include "storage.h"

typedef struct scalar_attributes {
    double scalar;
    int32_t is_int;
} scalar_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(scalar_attributes, scalar, FLOAT, "1", NULL,
             "The number; it is first converted to the output's dtype."),
    TN_FIELD(scalar_attributes, is_int, BOOL, "True", NULL,
             "Whether the number counts as an integer: if not, integer data gives float64."),
};

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

static tn_dtype output_dtype(tn_dtype data, int is_int) {
    if (data == 0 || is_floating(data)) {
        return data;
    }
    if (!is_int) {
        return TN_F64;
    }
    return data == TN_BOOL ? TN_I64 : data;
}

/* Of some output dtypes there are several that the data could have. */
static tn_dtype data_dtype(tn_dtype output, int is_int) {
    const int is_ambiguous = output == TN_I64 || (output == TN_F64 && !is_int);
    return is_ambiguous ? 0 : output;
}

static tn_status infer_scalar(tn_infer_call *call, binary_function function, scalar_side side) {
    const scalar_attributes *own = call->attributes;
    tn_tensor_type *data = &call->inputs[0];
    tn_tensor_type *output = &call->outputs[0];
    TN_TRY(tn_infer_same_shape(call->host, "output", &output->shape, &data->shape));
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype,
                          output_dtype(data->dtype, own->is_int)));
    if (data->dtype == 0) {
        data->dtype = data_dtype(output->dtype, own->is_int);
    }
    if (output->dtype == 0) {
        return TN_OK;
    }
    return infer_pointwise_storage(call,
                                   scalar_keeps_zero(function, side, own->scalar, output->dtype));
}

#define DEFINE_SCALAR_OPERATOR(KEY, NAME, OLD_NAME, FUNCTION, SIDE, GRADIENT, DOC)                 \
    static tn_status infer_scalar_##KEY(tn_infer_call *call) {                                     \
        return infer_scalar(call, BINARY_##FUNCTION, SCALAR_##SIDE);                               \
    }                                                                                              \
    const tn_op scalar_operator_##KEY = {                                                          \
        .struct_size = TN_OP_SIZE,                                                                 \
        .flags = TN_OP_SPARSE,                                                                     \
        .doc = "For each element of data: " DOC ".",                                               \
        .attributes = attributes,                                                                  \
        .attribute_count = sizeof attributes / sizeof *attributes,                                 \
        .attribute_stride = TN_ATTRIBUTE_STRIDE,                                                   \
        .attributes_size = sizeof(scalar_attributes),                                              \
        .input_names = input_names,                                                                \
        .output_names = output_names,                                                              \
        .input_name_count = 1,                                                                     \
        .output_name_count = 1,                                                                    \
        .infer = infer_scalar_##KEY,                                                               \
        .gradient = GRADIENT,                                                                      \
    };                                                                                             \
    tn_status prepare_scalar_##KEY(tn_prepare_call *call) {                                        \
        const scalar_attributes *own = call->attributes;                                           \
        return prepare_with_scalar(call, BINARY_##FUNCTION, SCALAR_##SIDE, own->scalar);           \
    }
SCALAR_OPERATORS(DEFINE_SCALAR_OPERATOR)
