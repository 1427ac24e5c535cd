/* The operator GroupNorm and its kernel. */
#include "group_norm.h"

#include "description.h"
#include "operators_more.h"
#include "row_norm.h"
#include "size.h"

typedef struct group_norm_attributes {
    int64_t num_groups;
    double eps;
    int32_t output_mean_var;
} group_norm_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(group_norm_attributes, num_groups, INT, "1", "[1,inf)",
             "How many groups the channels form; their number must be divisible by it."),
    TN_FIELD(group_norm_attributes, eps, FLOAT, "1e-5", "[0,inf)",
             "Added to the variance before its root is taken."),
    TN_FIELD(group_norm_attributes, output_mean_var, BOOL, "False", NULL,
             "Gives the means and standard deviations as outputs too."),
};

static const char *const input_names[] = {"data", "gamma", "beta"};
static const char *const output_names[] = {"output", "mean", "std"};

static tn_status arity(tn_arity_call *call) {
    const group_norm_attributes *given = call->attributes;
    call->output_count = given->output_mean_var ? 3 : 1;
    return TN_OK;
}

tn_status infer_group_norm_rank(const tn_host *host, const tn_shape *data) {
    if (data->rank >= 0 && data->rank < 3) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "data has rank %d, but samples, channels and at least one more axis are "
                       "expected",
                       (int)data->rank);
    }
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const group_norm_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(tn_infer_same_shape(call->host, "data", data, &call->outputs[0].shape));
    TN_TRY(infer_group_norm_rank(call->host, data));
    const int64_t moments_extents[] = {data->rank < 0 ? TN_UNKNOWN : data->extents[0],
                                       given->num_groups};
    const tn_shape vector = tn_shape_of(1, &given->num_groups);
    const tn_shape moments = tn_shape_of(2, moments_extents);
    for (uint32_t i = 1; i < call->input_count; i++) {
        TN_TRY(tn_infer_shape(call->host, input_names[i], &call->inputs[i].shape, &vector));
    }
    for (uint32_t i = 1; i < call->output_count; i++) {
        TN_TRY(tn_infer_shape(call->host, output_names[i], &call->outputs[i].shape, &moments));
    }
    if (data->rank >= 0 && data->extents[1] >= 0 && data->extents[1] % given->num_groups != 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has %lld channels, which cannot form num_groups=%lld equal groups",
                       (long long)data->extents[1], (long long)given->num_groups);
    }
    return TN_OK;
}

const tn_op group_norm_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Normalises each group of channels of each sample to mean 0 and variance 1, then scales "
           "it by the group's gamma and shifts it by the group's beta.",
    OP_ATTRIBUTES(attributes, group_norm_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};

typedef struct group_rows {
    element_array from;
    element_array gamma;
    element_array beta;
    element_array to;
    element_array mean; /* no elements: not wanted */
    element_array deviation;
    int64_t group_count;
    int64_t length;
    double eps;
} group_rows;

#include "real_float.h"

#include "group_norm_template.h"

#include "real_double.h"

#include "group_norm_template.h"

tn_status run_group_norm(const tn_run_call *call, int64_t group_count, double eps) {
    const tn_view *data = call->inputs[0];
    const int64_t sample_length = tn_extent_product(data->shape, 1, data->rank);
    group_rows rows = {.from = elements_of(data),
                       .gamma = elements_of(call->inputs[1]),
                       .beta = elements_of(call->inputs[2]),
                       .to = elements_of(call->outputs[0]),
                       .group_count = group_count,
                       .length = group_count > 0 ? sample_length / group_count : 0,
                       .eps = eps};
    if (call->output_count == 3) {
        rows.mean = elements_of(call->outputs[1]);
        rows.deviation = elements_of(call->outputs[2]);
    } else if (tn_element_count(data) == 0) {
        return TN_OK;
    }
    tn_parallel_for(call->host, data->shape[0] * group_count, grain_of(GRAIN_ELEMENTS, rows.length),
                    data->dtype == TN_F64 ? normalize_groups_f64 : normalize_groups_f32, &rows);
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const group_norm_attributes *given = call->attributes;
    return run_group_norm(call, given->num_groups, given->eps);
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel group_norm_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "GroupNorm",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .in_place = in_place,
    .in_place_count = 1,
    .run = run,
};
