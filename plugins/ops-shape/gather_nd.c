/* gather_nd and scatter_nd: slices at points whose coordinates stand in the columns of indices. */
#include "extents.h"
#include "fill.h"
#include "indices.h"
#include "operator.h"
#include "operators.h"

/* Points whose coordinates are read at a time. */
#define POINTS_AT_ONCE 256

typedef struct scatter_nd_attributes {
    tn_ints shape;
} scatter_nd_attributes;

static const tn_attribute scatter_nd_table[] = {
    TN_FIELD(scatter_nd_attributes, shape, INTS, NULL, "[0,inf)", "The shape of the output."),
};

/* How many axes a point has coordinates for: the first extent of indices. */
static tn_status infer_depth(const tn_host *host, const tn_shape *indices, int32_t rank,
                             int32_t *out_depth) {
    if (indices->rank == 0 || (indices->rank > 0 && indices->extents[0] > rank)) {
        char text[256];
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "indices has shape %s: expected up to %d coordinates along its first axis",
                       tn_shape_text(indices, text, sizeof text), (int)rank);
    }
    *out_depth = indices->rank < 0 || indices->extents[0] < 0 ? -1 : (int32_t)indices->extents[0];
    return TN_OK;
}

/* The shape of what lies at the points of a tensor: the axes of the points, then those of a slice.
 */
static tn_status slices_shape(const tn_host *host, const tn_shape *indices, const tn_shape *whole,
                              int32_t depth, tn_shape *out_shape) {
    *out_shape = tn_shape_of(0, NULL);
    TN_TRY(extents_append_range(host, out_shape, indices, 1, indices->rank));
    return extents_append_range(host, out_shape, whole, depth, whole->rank);
}

static tn_status gather_nd_infer(tn_infer_call *call) {
    tn_tensor_type *data = &call->inputs[0], *output = &call->outputs[0];
    const tn_shape *indices = &call->inputs[1].shape;
    int32_t depth;
    tn_shape fact;
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    TN_TRY(tn_infer_dtype(call->host, "data", &data->dtype, output->dtype));
    if (data->shape.rank < 0) {
        return TN_OK;
    }
    TN_TRY(infer_depth(call->host, indices, data->shape.rank, &depth));
    if (depth < 0) {
        return TN_OK;
    }
    TN_TRY(slices_shape(call->host, indices, &data->shape, depth, &fact));
    return tn_infer_shape(call->host, "output", &output->shape, &fact);
}

static tn_status scatter_nd_infer(tn_infer_call *call) {
    const scatter_nd_attributes *given = call->attributes;
    tn_tensor_type *data = &call->inputs[0], *output = &call->outputs[0];
    const tn_shape *indices = &call->inputs[1].shape;
    tn_shape whole = tn_shape_of(0, NULL), fact;
    int32_t depth;
    for (int64_t i = 0; i < given->shape.count; i++) {
        TN_TRY(extents_append(call->host, &whole, given->shape.values[i]));
    }
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    TN_TRY(tn_infer_dtype(call->host, "data", &data->dtype, output->dtype));
    TN_TRY(tn_infer_shape(call->host, "output", &output->shape, &whole));
    TN_TRY(infer_depth(call->host, indices, whole.rank, &depth));
    if (depth < 0) {
        return TN_OK;
    }
    TN_TRY(slices_shape(call->host, indices, &whole, depth, &fact));
    return tn_infer_shape(call->host, "data", &data->shape, &fact);
}

/* The points of an index tensor within a tensor. */
typedef struct points {
    const tn_view *indices;
    const tn_view *whole;
    int32_t depth;
    int64_t count;
    int64_t slice_bytes; /* at each point */
} points;

static points points_of(const tn_view *indices, const tn_view *whole) {
    const int32_t depth = (int32_t)indices->shape[0];
    return (points){indices, whole, depth, tn_extent_product(indices->shape, 1, indices->rank),
                    tn_extent_product(whole->shape, depth, whole->rank) *
                        (int64_t)TN_DTYPE_SIZE(whole->dtype)};
}

/* Adds coordinate `axis` to the slices' numbers. Coordinates from the back are negative. */
static tn_status add_coordinate(const tn_host *host, const points *at, int32_t axis, int64_t first,
                                int64_t count, int64_t *slices) {
    const int64_t extent = at->whole->shape[axis];
    int64_t coordinates[POINTS_AT_ONCE];
    indices_read(at->indices, axis * at->count + first, axis * at->count + first + count,
                 coordinates);
    for (int64_t i = 0; i < count; i++) {
        const int64_t from_back = coordinates[i] < 0 ? extent : 0;
        if (coordinates[i] >= extent || coordinates[i] < -from_back) {
            return tn_fail(
                host, TN_OUT_OF_RANGE, "index %lld of point %lld is beyond axis %d of extent %lld",
                (long long)coordinates[i], (long long)(first + i), (int)axis, (long long)extent);
        }
        slices[i] = slices[i] * extent + coordinates[i] + from_back;
    }
    return TN_OK;
}

/* The number of the slice at each point. */
static tn_status locate_points(const tn_host *host, const points *at, int64_t *slices) {
    for (int64_t first = 0; first < at->count; first += POINTS_AT_ONCE) {
        const int64_t left = at->count - first;
        const int64_t count = left < POINTS_AT_ONCE ? left : POINTS_AT_ONCE;
        memset(slices + first, 0, (size_t)count * sizeof *slices);
        for (int32_t axis = 0; axis < at->depth; axis++) {
            TN_TRY(add_coordinate(host, at, axis, first, count, slices + first));
        }
    }
    return TN_OK;
}

tn_status points_prepare(tn_prepare_call *call) {
    const tn_view *indices = call->inputs[1];
    const int64_t count = tn_extent_product(indices->shape, 1, indices->rank);
    call->workspace_size = (uint64_t)count * sizeof(int64_t);
    return TN_OK;
}

tn_status gather_nd_run(const tn_run_call *call) {
    const points at = points_of(call->inputs[1], call->inputs[0]);
    int64_t *slices = call->workspace;
    TN_TRY(locate_points(call->host, &at, slices));
    gather_rows(call->host, tn_data(at.whole), tn_data(call->outputs[0]), slices, at.count, 1, 0,
                at.slice_bytes);
    return TN_OK;
}

/* Serial: of two points at the same place the later one wins. */
tn_status scatter_nd_run(const tn_run_call *call) {
    const tn_view *output = call->outputs[0];
    const points at = points_of(call->inputs[1], output);
    const char *source = tn_data(call->inputs[0]);
    const uint64_t zero = 0;
    int64_t *slices = call->workspace;
    TN_TRY(locate_points(call->host, &at, slices));
    fill_elements(call->host, tn_data(output), tn_element_count(output), &zero,
                  TN_DTYPE_SIZE(output->dtype));
    for (int64_t i = 0; i < at.count && at.slice_bytes > 0; i++) {
        memcpy((char *)tn_data(output) + slices[i] * at.slice_bytes, source + i * at.slice_bytes,
               (size_t)at.slice_bytes);
    }
    return TN_OK;
}

static const char *const input_names[] = {"data", "indices"};

const tn_op gather_nd_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The slices of data at points. The first axis of indices holds the coordinates of a "
           "point, one for each leading axis of data; its other axes are those of the points.",
    OP_INPUTS(input_names),
    .infer = gather_nd_infer,
};

const tn_op scatter_nd_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Zeros of the given shape, with the slices of data put at points as gather_nd would "
           "take them. Of two slices at one point the later one stays.",
    OP_ATTRIBUTES(scatter_nd_table, scatter_nd_attributes),
    OP_INPUTS(input_names),
    .infer = scatter_nd_infer,
};
