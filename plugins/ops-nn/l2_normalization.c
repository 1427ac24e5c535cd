/* The operator L2Normalization and its kernel. */
#include "axis_split.h"
#include "description.h"
#include "operators_more.h"
#include "row_norm.h"
#include "size.h"

enum { L2_CHANNEL, L2_INSTANCE, L2_SPATIAL };

typedef struct l2_attributes {
    double eps;
    int32_t mode;
} l2_attributes;

static const tn_attribute attributes[] = {
    TN_FIELD(l2_attributes, eps, FLOAT, "1e-10", "[0,inf)",
             "Added to the sum of squares before its root is taken."),
    TN_FIELD_CHOICE(l2_attributes, mode, "instance", "channel|instance|spatial",
                    "What is brought to length 1: each sample (instance), the channels at each "
                    "position (channel) or the positions of each channel (spatial)."),
};

static const char *const input_names[] = {"data"};
static const char *const output_names[] = {"output"};

static tn_status infer(tn_infer_call *call) {
    const l2_attributes *given = call->attributes;
    TN_TRY(tn_infer_elementwise(call));
    const int32_t rank = call->inputs[0].shape.rank;
    const int32_t least = given->mode == L2_INSTANCE ? 1 : 3;
    if (rank >= 0 && rank < least) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "data has rank %d, but at least %d is expected in this mode", (int)rank,
                       (int)least);
    }
    return TN_OK;
}

const tn_op l2_normalization_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Divides vectors that data is made of by their Euclidean lengths.",
    OP_ATTRIBUTES(attributes, l2_attributes),
    OP_NAMES(input_names, output_names),
    .infer = infer,
};

/* The vectors lie along the middle of the split. */
typedef struct l2_vectors {
    element_array from;
    element_array to;
    axis_split split;
    double eps;
} l2_vectors;

/* Vectors that lie side by side are done together, this many. */
#define TILE_LENGTH 64

#include "real_float.h"

#include "l2_normalization_template.h"

#include "real_double.h"

#include "l2_normalization_template.h"

static axis_split split_by_mode(const tn_view *data, int32_t mode) {
    switch (mode) {
    case L2_CHANNEL: return split_axes(data, 1, 2);
    case L2_SPATIAL: return split_axes(data, 2, data->rank);
    default: return split_axes(data, 1, data->rank);
    }
}

static tn_status run(const tn_run_call *call) {
    const l2_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const int is_double = data->dtype == TN_F64;
    l2_vectors vectors = {elements_of(data), elements_of(call->outputs[0]),
                          split_by_mode(data, given->mode), given->eps};
    const axis_split *split = &vectors.split;
    if (tn_element_count(data) == 0) {
        return TN_OK;
    }
    if (split->inner == 1) {
        tn_parallel_for(call->host, split->outer, grain_of(GRAIN_ELEMENTS, split->extent),
                        is_double ? normalize_rows_f64 : normalize_rows_f32, &vectors);
    } else {
        const int64_t tiles = divide_up(split->inner, TILE_LENGTH);
        tn_parallel_for(call->host, split->outer * tiles,
                        grain_of(GRAIN_ELEMENTS, split->extent * TILE_LENGTH),
                        is_double ? normalize_tiles_f64 : normalize_tiles_f32, &vectors);
    }
    return TN_OK;
}

static const tn_in_place in_place[] = {{0, 0}};

const tn_kernel l2_normalization_kernel = {
    .struct_size = TN_KERNEL_SIZE,
    .op = "L2Normalization",
    .target = "cpu",
    .dtypes = floating_dtypes,
    .dtype_count = FLOATING_DTYPE_COUNT,
    .in_place = in_place,
    .in_place_count = 1,
    .run = run,
};
