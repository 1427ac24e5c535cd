/* LinearRegressionOutput, LogisticRegressionOutput, MAERegressionOutput and their kernels. */
#include "element_map.h"
#include "floating.h"
#include "identity.h"
#include "label.h"
#include "operators_more.h"
#include "vector_math.h"

typedef struct regression_attributes {
    double grad_scale;
} regression_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(regression_attributes, grad_scale, FLOAT, "1", NULL, TRAINING_ONLY),
};

/* A column of predictions may have a plain vector of labels. */
static tn_status infer(tn_infer_call *call) {
    const tn_tensor_type *data = &call->inputs[0];
    TN_TRY(infer_output_like_data(call));
    tn_shape label = data->shape;
    if (label.rank == 2 && label.extents[1] == 1) {
        label.rank = 1;
    }
    if (tn_shape_is_known(&label)) {
        suggest_label(call, &label, data->dtype);
    }
    return TN_OK;
}

#define REGRESSION_OP(DOC)                                                                         \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(attributes, regression_attributes),   \
        OP_LABELLED, .infer = infer                                                                \
    }

const tn_op linear_regression_output_op =
    REGRESSION_OP("data as it is. In training its gradient is that of the squared difference from "
                  "label.");
const tn_op logistic_regression_output_op =
    REGRESSION_OP("The sigmoid of data. In training its gradient is that of the cross entropy with "
                  "label.");
const tn_op mae_regression_output_op =
    REGRESSION_OP("data as it is. In training its gradient is that of the absolute difference from "
                  "label.");

const tn_kernel linear_regression_output_kernel = IDENTITY_KERNEL("LinearRegressionOutput");
const tn_kernel mae_regression_output_kernel = IDENTITY_KERNEL("MAERegressionOutput");

static void sigmoids_f32(const void *parameters, const float *x, float *y, int64_t count) {
    (void)parameters;
    for (int64_t i = 0; i < count; i++) {
        y[i] = sigmoid_f32(x[i]);
    }
}

static void sigmoids_f64(const void *parameters, const double *x, double *y, int64_t count) {
    (void)parameters;
    for (int64_t i = 0; i < count; i++) {
        y[i] = sigmoid_f64(x[i]);
    }
}

static tn_status run_logistic(const tn_run_call *call) {
    const element_map map = {sigmoids_f32, sigmoids_f64, NULL};
    return run_element_map(call, &map);
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel logistic_regression_output_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "LogisticRegressionOutput",
    .target = "cpu",
    .in_place = in_place,
    .in_place_count = 1,
    .supports = supports_floating_data,
    .run = run_logistic,
};
