/* The operator LeakyReLU and its kernel. */
#include "axis_split.h"
#include "description.h"
#include "element_block.h"
#include "element_map.h"
#include "operators_more.h"
#include "size.h"
#include "vector_math.h"

enum { LEAKY_ELU, LEAKY_GELU, LEAKY_PLAIN, LEAKY_PRELU, LEAKY_RRELU, LEAKY_SELU };

typedef struct leaky_attributes {
    int32_t act_type;
    double slope;
    double lower_bound;
    double upper_bound;
} leaky_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD_CHOICE(leaky_attributes, act_type, "leaky", "elu|gelu|leaky|prelu|rrelu|selu",
                    "What becomes of negative elements; gelu is x times the normal distribution "
                    "at x."),
    TN_FIELD(leaky_attributes, slope, FLOAT, "0.25", NULL,
             "The factor on negative elements for leaky, and on exp(x) - 1 for elu."),
    TN_FIELD(leaky_attributes, lower_bound, FLOAT, "0.125", NULL,
             "The least slope that rrelu draws in training."),
    TN_FIELD(leaky_attributes, upper_bound, FLOAT, "0.334", NULL,
             "The largest slope that rrelu draws in training."),
};

static tn_status arity(tn_arity_call *call) {
    const leaky_attributes *given = call->attributes;
    call->input_count = given->act_type == LEAKY_PRELU ? 2 : 1;
    return TN_OK;
}

/* Where gamma's slopes lie in data: along axis 1, or along the only axis. */
static int32_t slope_axis(int32_t rank) {
    return rank > 1 ? 1 : 0;
}

static int has_one_element(const tn_shape *shape) {
    int one = shape->rank >= 0;
    for (int32_t axis = 0; axis < shape->rank; axis++) {
        one = one && shape->extents[axis] == 1;
    }
    return one;
}

static tn_status infer(tn_infer_call *call) {
    tn_shape *data = &call->inputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(tn_infer_same_shape(call->host, "data", data, &call->outputs[0].shape));
    if (call->input_count < 2 || data->rank < 0 || has_one_element(&call->inputs[1].shape)) {
        return TN_OK;
    }
    if (data->rank == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data is a scalar, but act_type=prelu needs an axis of channels");
    }
    /* It may turn out to be one slope with several axes. */
    tn_shape *gamma = &call->inputs[1].shape;
    if (gamma->rank > 1 && !tn_shape_is_known(gamma)) {
        return TN_OK;
    }
    const tn_shape slopes = tn_shape_of(1, &data->extents[slope_axis(data->rank)]);
    return tn_infer_shape(call->host, "gamma", gamma, &slopes);
}

static const char *const input_names[] = {"data", "gamma"};
static const char *const output_names[] = {"output"};

const tn_op leaky_relu_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Leaves positive elements as they are and makes negative ones small: by a slope that is "
           "fixed (leaky), an input of its own for each channel (prelu) or the middle of a range "
           "(rrelu), or along a curve (elu, selu, gelu).",
    OP_ATTRIBUTES(attributes, leaky_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};

/* A curve for all elements alike. */
typedef struct leaky_curve {
    int32_t act_type;
    double slope;
} leaky_curve;

/* Rows of one channel each, or of all channels, with a slope for each channel. */
typedef struct prelu_rows {
    element_array from;
    element_array slopes;
    element_array to;
    int64_t row_length;
    int64_t slope_count;
} prelu_rows;

#include "real_float.h"

#include "leaky_relu_template.h"

#include "real_double.h"

#include "leaky_relu_template.h"

static tn_status run_curve(const tn_run_call *call, int32_t act_type, double slope) {
    const leaky_curve curve = {act_type, slope};
    const element_map map = {leak_f32, leak_f64, &curve};
    return run_element_map(call, &map);
}

static tn_status run_prelu(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    const int is_double = data->dtype == TN_F64;
    const element_array slopes = elements_of(call->inputs[1]);
    const int64_t slope_count = tn_element_count(call->inputs[1]);
    if (slope_count == 1) {
        return run_curve(call, LEAKY_PLAIN,
                         is_double ? read_one_f64(slopes, 0) : (double)read_one_f32(slopes, 0));
    }
    if (tn_element_count(data) == 0) {
        return TN_OK;
    }
    const axis_split split = split_axis(data, slope_axis(data->rank));
    prelu_rows rows = {elements_of(data), slopes, elements_of(call->outputs[0]), split.inner,
                       slope_count};
    if (split.inner == 1) {
        tn_parallel_for(call->host, split.outer, grain_of(GRAIN_ELEMENTS, split.extent),
                        is_double ? prelu_positions_f64 : prelu_positions_f32, &rows);
    } else {
        tn_parallel_for(call->host, split.outer * split.extent,
                        grain_of(GRAIN_ELEMENTS, split.inner),
                        is_double ? prelu_planes_f64 : prelu_planes_f32, &rows);
    }
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const leaky_attributes *given = call->attributes;
    switch (given->act_type) {
    case LEAKY_PRELU: return run_prelu(call);
    case LEAKY_RRELU:
        return run_curve(call, LEAKY_PLAIN, (given->lower_bound + given->upper_bound) / 2);
    default: return run_curve(call, given->act_type, given->slope);
    }
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel leaky_relu_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "LeakyReLU",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .in_place = in_place,
    .in_place_count = 1,
    .run = run,
    .layouts = tn_layouts_of_first,
};
