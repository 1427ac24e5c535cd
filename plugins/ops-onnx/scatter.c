/* ScatterElements, ScatterND and TensorScatter: data with some elements
 * replaced, or changed by a reduction. */
#include "elements.h"
#include "families.h"
#include "indices.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"

enum { REDUCE_NONE, REDUCE_ADD, REDUCE_MUL, REDUCE_MAX, REDUCE_MIN };
#define REDUCTIONS "none|add|mul|max|min"
#define REDUCTION_DOC "What an element that is there and its update make; none: the update."

typedef struct scatter_attributes {
    int64_t axis;
    int32_t reduction;
} scatter_attributes;

static const tn_attribute elements_table[] = {
    TN_FIELD(scatter_attributes, axis, INT, "0", "[-32,31]", "The axis that the indices are of."),
    TN_FIELD_CHOICE(scatter_attributes, reduction, "none", REDUCTIONS, REDUCTION_DOC),
};
static const tn_attribute points_table[] = {
    TN_FIELD_CHOICE(scatter_attributes, reduction, "none", REDUCTIONS, REDUCTION_DOC),
};

static const char *const input_names[] = {"data", "indices", "updates"};
static const char *const output_names[] = {"output"};

static tn_status infer_elements(tn_infer_call *call) {
    const scatter_attributes *own = call->attributes;
    int32_t axis = 0;
    TN_TRY(infer_output_like(call, 0));
    TN_TRY(tn_infer_dtype(call->host, "updates", &call->inputs[2].dtype, call->inputs[0].dtype));
    if (call->inputs[0].shape.rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, own->axis, call->inputs[0].shape.rank, &axis));
    const tn_shape rank = tn_shape_of_rank(call->inputs[0].shape.rank);
    TN_TRY(tn_infer_shape(call->host, "indices", &call->inputs[1].shape, &rank));
    return tn_infer_same_shape(call->host, "updates", &call->inputs[2].shape,
                               &call->inputs[1].shape);
}

static tn_status infer_points(tn_infer_call *call) {
    const tn_shape *data = &call->inputs[0].shape, *indices = &call->inputs[1].shape;
    TN_TRY(infer_output_like(call, 0));
    TN_TRY(tn_infer_dtype(call->host, "updates", &call->inputs[2].dtype, call->inputs[0].dtype));
    if (data->rank < 0 || indices->rank < 0) {
        return TN_OK;
    }
    const int64_t depth = indices->rank > 0 ? indices->extents[indices->rank - 1] : 0;
    if (indices->rank < 1 || depth > data->rank ||
        indices->rank - 1 + data->rank - depth > TN_MAX_RANK) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "indices of rank %d with %lld coordinates do not fit data of rank %d",
                       (int)indices->rank, (long long)depth, (int)data->rank);
    }
    if (depth < 0) {
        return TN_OK;
    }
    tn_shape updates = tn_shape_of(indices->rank - 1, indices->extents);
    for (int32_t i = (int32_t)depth; i < data->rank; i++) {
        updates.extents[updates.rank++] = data->extents[i];
    }
    return tn_infer_shape(call->host, "updates", &call->inputs[2].shape, &updates);
}

const tn_op scatter_elements_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "data, in which each update goes to its own place, but for the axis, along which its "
           "index says the place. Of two updates to one place the later one counts, unless a "
           "reduction takes both.",
    OP_ATTRIBUTES(elements_table, scatter_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer_elements,
};

const tn_op scatter_nd_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "data, in which the slices of updates go to points whose coordinates are along the last "
           "axis of indices.",
    OP_ATTRIBUTES(points_table, scatter_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer_points,
};

static double reduce_number(int32_t reduction, double old, double update) {
    switch (reduction) {
    case REDUCE_ADD: return old + update;
    case REDUCE_MUL: return old * update;
    case REDUCE_MAX: return update > old || update != update ? update : old;
    default: return update < old || update != update ? update : old;
    }
}

static int64_t reduce_integer(int32_t reduction, int64_t old, int64_t update) {
    switch (reduction) {
    case REDUCE_ADD: return (int64_t)((uint64_t)old + (uint64_t)update);
    case REDUCE_MUL: return (int64_t)((uint64_t)old * (uint64_t)update);
    case REDUCE_MAX: return update > old ? update : old;
    default: return update < old ? update : old;
    }
}

/* `count` elements of updates from number `from` on, into data at `to`. */
static void apply_updates(const tn_run_call *call, int32_t reduction, int64_t from, int64_t to,
                          int64_t count) {
    const tn_dtype dtype = call->outputs[0]->dtype;
    const size_t size = TN_DTYPE_SIZE(dtype);
    const void *updates = tn_data(call->inputs[2]);
    void *target = tn_data(call->outputs[0]);
    if (reduction == REDUCE_NONE) {
        memcpy((char *)target + (size_t)to * size, (const char *)updates + (size_t)from * size,
               (size_t)count * size);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        if (is_floating(dtype)) {
            write_number(dtype, target, to + i,
                         reduce_number(reduction, read_number(dtype, target, to + i),
                                       read_number(dtype, updates, from + i)));
        } else {
            write_integer(dtype, target, to + i,
                          reduce_integer(reduction, read_integer(dtype, target, to + i),
                                         read_integer(dtype, updates, from + i)));
        }
    }
}

static void copy_data(const tn_run_call *call) {
    if (tn_data(call->inputs[0]) != tn_data(call->outputs[0])) {
        memcpy(tn_data(call->outputs[0]), tn_data(call->inputs[0]), tn_byte_size(call->outputs[0]));
    }
}

static tn_status run_elements(const tn_run_call *call) {
    const scatter_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *indices = call->inputs[1];
    const int64_t count = tn_element_count(indices);
    int32_t axis = 0;
    int64_t strides[TN_MAX_RANK];
    shape_walk walk;
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    for (int32_t i = 0; i < data->rank; i++) {
        if (i != axis && indices->shape[i] > data->shape[i]) {
            return tn_fail(call->host, TN_INVALID_ARGUMENT,
                           "indices have extent %lld along axis %d, data only %lld",
                           (long long)indices->shape[i], (int)i, (long long)data->shape[i]);
        }
    }
    copy_data(call);
    row_major_strides(data->rank, data->shape, strides);
    const int64_t step = strides[axis];
    strides[axis] = 0;
    walk_begin(&walk, indices->rank, indices->shape);
    walk_add(&walk, strides);
    for (int64_t i = 0; i < count; i++) {
        int64_t index = 0;
        TN_TRY(resolve_index(call->host, indices, i, data->shape[axis], &index));
        apply_updates(call, own->reduction, i, walk.offsets[0] + index * step, 1);
        walk_on(&walk);
    }
    return TN_OK;
}

static tn_status run_points(const tn_run_call *call) {
    const scatter_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *indices = call->inputs[1];
    const int64_t depth = indices->shape[indices->rank - 1];
    const int64_t slice_size = tn_extent_product(data->shape, (int32_t)depth, data->rank);
    const int64_t points = tn_extent_product(indices->shape, 0, indices->rank - 1);
    copy_data(call);
    for (int64_t point = 0; point < points; point++) {
        int64_t slice = 0;
        TN_TRY(locate_point(call->host, indices, point, depth, data->shape, &slice));
        apply_updates(call, own->reduction, point * slice_size, slice * slice_size, slice_size);
    }
    return TN_OK;
}

static const tn_in_place in_place[] = {{0, 0}};

/* Texts replace one another, and nothing else. */
static int32_t supports_scatter(const tn_kernel_query *query) {
    const scatter_attributes *own = query->attributes;
    return own->reduction == REDUCE_NONE || !TN_DTYPE_IS_OPAQUE(query->inputs[0].dtype);
}

#define SCATTER_KERNEL(NAME, RUN)                                                                  \
    {                                                                                              \
        CPU_KERNEL(NAME), .flags = TN_KERNEL_MOVES_ELEMENTS, .in_place = in_place,                 \
                          .in_place_count = 1, .supports = supports_scatter, .run = RUN            \
    }

const tn_kernel scatter_elements_kernel = SCATTER_KERNEL("onnx.ScatterElements", run_elements);
const tn_kernel scatter_nd_kernel = SCATTER_KERNEL("onnx.ScatterND", run_points);

/* TensorScatter: a cache of keys or values in which a piece of the sequence is replaced. */

typedef struct tensor_scatter_attributes {
    int64_t axis;
    int32_t mode;
} tensor_scatter_attributes;

enum { MODE_LINEAR, MODE_CIRCULAR };

static const tn_attribute tensor_table[] = {
    TN_FIELD(tensor_scatter_attributes, axis, INT, "-2", "[-32,31]", "The axis of the sequence."),
    TN_FIELD_CHOICE(tensor_scatter_attributes, mode, "linear", "linear|circular",
                    "Whether an update beyond the end is an error or goes on at the start."),
};

static const char *const tensor_names[] = {"past_cache", "update", "write_indices"};
static const char *const tensor_outputs[] = {"present_cache"};
static const uint32_t tensor_optional[] = {2};

static tn_status infer_tensor(tn_infer_call *call) {
    const tensor_scatter_attributes *own = call->attributes;
    const tn_shape *cache = &call->inputs[0].shape;
    int32_t axis = 0;
    TN_TRY(infer_output_like(call, 0));
    TN_TRY(tn_infer_dtype(call->host, "update", &call->inputs[1].dtype, call->inputs[0].dtype));
    if (cache->rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, own->axis, cache->rank, &axis));
    if (axis == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "axis 0 is the batch, not the sequence");
    }
    tn_shape update = *cache;
    update.extents[axis] = TN_UNKNOWN;
    return tn_infer_shape(call->host, "update", &call->inputs[1].shape, &update);
}

const tn_op tensor_scatter_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The cache, in which the update of each sample replaces the elements from its write "
           "index on.",
    OP_ATTRIBUTES(tensor_table, tensor_scatter_attributes),
    OP_INPUTS(tensor_names),
    OP_OUTPUTS(tensor_outputs),
    OP_OPTIONAL(tensor_optional),
    .infer = infer_tensor,
};

static tn_status run_tensor(const tn_run_call *call) {
    const tensor_scatter_attributes *own = call->attributes;
    const tn_view *cache = call->inputs[0], *update = call->inputs[1];
    const tn_view *starts = call->inputs[2];
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, cache->rank, &axis));
    const int64_t extent = cache->shape[axis], length = update->shape[axis];
    const int64_t outer = tn_extent_product(cache->shape, 0, axis);
    const size_t row = (size_t)tn_extent_product(cache->shape, axis + 1, cache->rank) *
                       TN_DTYPE_SIZE(cache->dtype);
    const int64_t lines = cache->shape[0] > 0 ? outer / cache->shape[0] : 1;
    if (starts != NULL && tn_element_count(starts) != cache->shape[0]) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "there is not a write index for each of "
                       "%lld samples",
                       (long long)cache->shape[0]);
    }
    copy_data(call);
    for (int64_t i = 0; i < outer; i++) {
        const int64_t start =
            starts == NULL ? 0 : read_integer(starts->dtype, tn_data(starts), i / lines);
        if (start < 0 || start > extent || (own->mode == MODE_LINEAR && length > extent - start) ||
            length > extent) {
            return tn_fail(call->host, TN_OUT_OF_RANGE,
                           "an update of %lld from %lld on is beyond a sequence of %lld",
                           (long long)length, (long long)start, (long long)extent);
        }
        for (int64_t j = 0; j < length; j++) {
            memcpy((char *)tn_data(call->outputs[0]) +
                       (size_t)(i * extent + (start + j) % extent) * row,
                   (const char *)tn_data(update) + (size_t)(i * length + j) * row, row);
        }
    }
    return TN_OK;
}

const tn_kernel tensor_scatter_kernel = SCATTER_KERNEL("onnx.TensorScatter", run_tensor);
