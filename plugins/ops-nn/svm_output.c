/* The operator SVMOutput and its kernel. */
#include "axis_split.h"
#include "identity.h"
#include "label.h"
#include "operators_more.h"

typedef struct svm_output_attributes {
    double margin;
    double regularization_coefficient;
    int32_t use_linear;
} svm_output_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(svm_output_attributes, margin, FLOAT, "1", NULL, TRAINING_ONLY),
    TN_FIELD(svm_output_attributes, regularization_coefficient, FLOAT, "1", NULL, TRAINING_ONLY),
    TN_FIELD(svm_output_attributes, use_linear, BOOL, "False", NULL, TRAINING_ONLY),
};

static tn_status infer(tn_infer_call *call) {
    const tn_tensor_type *data = &call->inputs[0];
    TN_TRY(infer_output_like_data(call));
    if (data->shape.rank > 0) {
        const tn_shape label = shape_without_axis(&data->shape, data->shape.rank - 1);
        suggest_label(call, &label, data->dtype);
    }
    return TN_OK;
}

const tn_op svm_output_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "data, the scores of classes, as it is. In training its gradient is that of a support "
           "vector machine's hinge loss.",
    OP_ATTRIBUTES(attributes, svm_output_attributes),
    OP_LABELLED,
    .infer = infer,
};

const tn_kernel svm_output_kernel = IDENTITY_KERNEL("SVMOutput");
