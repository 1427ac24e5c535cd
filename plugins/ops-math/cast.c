#include "cast.h"

#include "element.h"
#include "storage.h"

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

typedef struct cast_attributes {
    tn_dtype dtype;
} cast_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(cast_attributes, dtype, DTYPE, NULL, NULL, "The dtype to convert to."),
};

static tn_status infer_cast(tn_infer_call *call) {
    const cast_attributes *own = call->attributes;
    tn_tensor_type *data = &call->inputs[0];
    tn_tensor_type *output = &call->outputs[0];
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, own->dtype));
    TN_TRY(tn_infer_same_shape(call->host, "output", &output->shape, &data->shape));
    return infer_pointwise_storage(call, 1);
}

/* Mixed precision is about the floats up to 32 bits: MXNet leaves other dtypes as they are. */
static tn_dtype amp_output_dtype(tn_dtype data, tn_dtype wanted) {
    const int takes_part = data == TN_F16 || data == TN_BF16 || data == TN_F32;
    return takes_part ? wanted : data;
}

static tn_status infer_amp_cast(tn_infer_call *call) {
    const cast_attributes *own = call->attributes;
    tn_tensor_type *data = &call->inputs[0];
    tn_tensor_type *output = &call->outputs[0];
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype,
                          amp_output_dtype(data->dtype, own->dtype)));
    TN_TRY(tn_infer_same_shape(call->host, "output", &output->shape, &data->shape));
    return infer_pointwise_storage(call, 1);
}

#define CAST_OPERATOR(INFER, DOC)                                                                  \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .flags = TN_OP_SPARSE, .doc = DOC, .attributes = attributes,    \
        .attribute_count = sizeof attributes / sizeof *attributes,                                 \
        .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(cast_attributes),       \
        .input_names = input_names, .output_names = output_names, .input_name_count = 1,           \
        .output_name_count = 1, .infer = INFER,                                                    \
    }

const tn_op cast_operator =
    CAST_OPERATOR(infer_cast, "Converts each element to another dtype. A float becomes an integer "
                              "by truncation, and wraps around or, where it is NaN or very large, "
                              "gives the lowest integer; to bool, all but 0 is true.");
const tn_op amp_cast_operator =
    CAST_OPERATOR(infer_amp_cast, "Converts float16, bfloat16 and float32 to another dtype; any "
                                  "other tensor stays as it is.");
