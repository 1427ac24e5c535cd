/* The operator LayerNorm and its kernel. */
#include "axis_split.h"
#include "channel_infer.h"
#include "description.h"
#include "operators_more.h"
#include "row_norm.h"
#include "size.h"

typedef struct layer_norm_attributes {
    int64_t axis;
    double eps;
    int32_t output_mean_var;
} layer_norm_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(layer_norm_attributes, axis, INT, "-1", "[-32,31]", "The axis to normalise along."),
    TN_FIELD(layer_norm_attributes, eps, FLOAT, "1e-5", "[0,inf)",
             "Added to the variance before its root is taken."),
    TN_FIELD(layer_norm_attributes, output_mean_var, BOOL, "False", NULL,
             "Gives the means and standard deviations as outputs too."),
};

static const char *const input_names[] = {"data", "gamma", "beta"};
static const char *const output_names[] = {"output", "mean", "std"};

static tn_status arity(tn_arity_call *call) {
    const layer_norm_attributes *given = call->attributes;
    call->output_count = given->output_mean_var ? 3 : 1;
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const layer_norm_attributes *given = call->attributes;
    tn_shape *data = &call->inputs[0].shape;
    int64_t *extent;
    TN_TRY(tn_infer_one_dtype(call));
    TN_TRY(tn_infer_same_shape(call->host, "data", data, &call->outputs[0].shape));
    TN_TRY(channel_extent(call->host, data, given->axis, &extent));
    for (uint32_t i = 1; i < call->input_count; i++) {
        TN_TRY(infer_channel_vector(call->host, input_names[i], &call->inputs[i].shape, extent));
    }
    if (extent == NULL) {
        return TN_OK;
    }
    tn_shape moments = *data;
    moments.extents[extent - data->extents] = 1;
    for (uint32_t i = 1; i < call->output_count; i++) {
        TN_TRY(tn_infer_shape(call->host, output_names[i], &call->outputs[i].shape, &moments));
    }
    return TN_OK;
}

const tn_op layer_norm_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Normalises each row along one axis to mean 0 and variance 1, then scales its elements "
           "by gamma and shifts them by beta.",
    OP_ATTRIBUTES(attributes, layer_norm_attributes),
    OP_NAMES(input_names, output_names),
    .arity = arity,
    .infer = infer,
};

typedef struct layer_norm_rows {
    element_array from;
    element_array gamma;
    element_array beta;
    element_array to;
    element_array mean; /* no elements: not wanted */
    element_array deviation;
    axis_split split;
    double eps;
} layer_norm_rows;

#include "real_float.h"

#include "layer_norm_template.h"

#include "real_double.h"

#include "layer_norm_template.h"

static tn_status run(const tn_run_call *call) {
    const layer_norm_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    layer_norm_rows rows = {.from = elements_of(data),
                            .gamma = elements_of(call->inputs[1]),
                            .beta = elements_of(call->inputs[2]),
                            .to = elements_of(call->outputs[0]),
                            .split = split_axis(data, given->axis),
                            .eps = given->eps};
    if (call->output_count == 3) {
        rows.mean = elements_of(call->outputs[1]);
        rows.deviation = elements_of(call->outputs[2]);
    } else if (tn_element_count(data) == 0) {
        return TN_OK;
    }
    tn_parallel_for(call->host, rows.split.outer * rows.split.inner,
                    grain_of(GRAIN_ELEMENTS, rows.split.extent),
                    data->dtype == TN_F64 ? normalize_rows_f64 : normalize_rows_f32, &rows);
    return TN_OK;
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel layer_norm_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "LayerNorm",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .in_place = in_place,
    .in_place_count = 1,
    .run = run,
};
