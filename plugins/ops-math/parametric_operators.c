#include "parametric_operators.h"

#include "pointwise.h"

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

typedef struct clip_attributes {
    double a_min;
    double a_max;
} clip_attributes;

static const tn_attribute clip_table[] = {
    TN_FIELD(clip_attributes, a_min, FLOAT, NULL, NULL, "The lower bound; NaN bounds nothing."),
    TN_FIELD(clip_attributes, a_max, FLOAT, NULL, NULL, "The upper bound; NaN bounds nothing."),
};

typedef struct hard_sigmoid_attributes {
    double alpha;
    double beta;
} hard_sigmoid_attributes;

static const tn_attribute hard_sigmoid_table[] = {
    TN_FIELD(hard_sigmoid_attributes, alpha, FLOAT, "0.2", NULL, "The slope."),
    TN_FIELD(hard_sigmoid_attributes, beta, FLOAT, "0.5", NULL, "The value at 0."),
};

typedef struct smooth_l1_attributes {
    double scalar;
} smooth_l1_attributes;

static const tn_attribute smooth_l1_table[] = {
    TN_FIELD(smooth_l1_attributes, scalar, FLOAT, "1", NULL,
             "The sigma that says where the quadratic part ends: at 1 / sigma^2."),
};

#define PARAMETRIC_OPERATOR(FUNCTION, DOC)                                                         \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, .attributes = FUNCTION##_table,                     \
        .attribute_count = sizeof FUNCTION##_table / sizeof *FUNCTION##_table,                     \
        .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(FUNCTION##_attributes), \
        .input_names = input_names, .output_names = output_names, .input_name_count = 1,           \
        .output_name_count = 1, .infer = tn_infer_elementwise,                                     \
    }

const tn_op clip_operator = PARAMETRIC_OPERATOR(
    clip, "Each element, but no lower than a_min and no higher than a_max. NaN stays NaN.");
const tn_op hard_sigmoid_operator =
    PARAMETRIC_OPERATOR(hard_sigmoid, "alpha * x + beta for each element x, kept within 0 to 1.");
const tn_op smooth_l1_operator = PARAMETRIC_OPERATOR(
    smooth_l1, "The smooth L1 loss of each element: (sigma * x)^2 / 2 near 0, and from where |x| "
               "exceeds 1 / sigma^2 on |x| - 1 / (2 * sigma^2).");

tn_status prepare_clip(tn_prepare_call *call) {
    const clip_attributes *own = call->attributes;
    const double bounds[UNARY_PARAMETERS] = {own->a_min, own->a_max};
    return prepare_unary(call, UNARY_clip, bounds);
}

tn_status prepare_hard_sigmoid(tn_prepare_call *call) {
    const hard_sigmoid_attributes *own = call->attributes;
    const double line[UNARY_PARAMETERS] = {own->alpha, own->beta};
    return prepare_unary(call, UNARY_hard_sigmoid, line);
}

/* MXNet rounds sigma to the data's dtype, like the scalar of any operator. */
tn_status prepare_smooth_l1(tn_prepare_call *call) {
    const smooth_l1_attributes *own = call->attributes;
    const tn_dtype dtype = call->inputs[0]->dtype;
    const double sigma =
        is_floating(dtype) ? own->scalar : convert_constant(own->scalar, dtype, COMPUTE_F64).f64;
    const double parameters[UNARY_PARAMETERS] = {sigma, 0};
    return prepare_unary(call, UNARY_smooth_l1, parameters);
}
