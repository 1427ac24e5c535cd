/* take and Embedding: slices of a tensor, chosen by indices along one axis. */
#include "extents.h"
#include "indices.h"
#include "operator.h"
#include "operators.h"

typedef struct take_attributes {
    int64_t axis;
    int32_t mode;
} take_attributes;

static const tn_attribute take_table[] = {
    TN_FIELD(take_attributes, axis, INT, "0", "[-32,31]", "The axis of a that the indices are of."),
    TN_FIELD_CHOICE(take_attributes, mode, "clip", "clip|raise|wrap",
                    "What an index beyond the axis means: the nearest one there is, an error, or "
                    "the one modulo the axis' extent."),
};

typedef struct embedding_attributes {
    int64_t input_dim;
    int64_t output_dim;
    tn_dtype dtype;
    int32_t sparse_grad;
} embedding_attributes;

static const tn_attribute embedding_table[] = {
    TN_FIELD(embedding_attributes, input_dim, INT, NULL, "[1,inf)", "How many vectors there are."),
    TN_FIELD(embedding_attributes, output_dim, INT, NULL, "[1,inf)", "The length of a vector."),
    TN_FIELD(embedding_attributes, dtype, DTYPE, "float32", NULL,
             "The element type of the vectors, where nothing else says it."),
    TN_FIELD(embedding_attributes, sparse_grad, BOOL, "False", NULL,
             "Accepted for compatibility; has no effect."),
};

static tn_status take_infer(tn_infer_call *call) {
    const take_attributes *given = call->attributes;
    tn_tensor_type *data = &call->inputs[0], *output = &call->outputs[0];
    const tn_shape *indices = &call->inputs[1].shape;
    tn_shape fact = tn_shape_of(0, NULL);
    int32_t axis = 0;
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    TN_TRY(tn_infer_dtype(call->host, "a", &data->dtype, output->dtype));
    if (data->shape.rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, given->axis, data->shape.rank, &axis));
    if (indices->rank < 0) {
        return TN_OK;
    }
    TN_TRY(extents_append_range(call->host, &fact, &data->shape, 0, axis));
    TN_TRY(extents_append_range(call->host, &fact, indices, 0, indices->rank));
    TN_TRY(extents_append_range(call->host, &fact, &data->shape, axis + 1, data->shape.rank));
    return tn_infer_shape(call->host, "output", &output->shape, &fact);
}

/* The workspace holds the indices of `input` as integers. */
static tn_status prepare_indices(tn_prepare_call *call, uint32_t input, const tn_view *from,
                                 int32_t axis) {
    const int64_t count = tn_element_count(call->inputs[input]);
    if (count > 0 && from->shape[axis] == 0) {
        return tn_fail(call->host, TN_OUT_OF_RANGE,
                       "%lld indices into axis %d, which has no elements", (long long)count,
                       (int)axis);
    }
    call->workspace_size = (uint64_t)count * sizeof(int64_t);
    return TN_OK;
}

/* The slices of `from` along `axis` that the indices name. */
static tn_status run_take(const tn_run_call *call, const tn_view *from, const tn_view *indices,
                          int32_t axis, int32_t mode) {
    const int64_t count = tn_element_count(indices);
    const int64_t extent = from->shape[axis];
    const int64_t outer = tn_extent_product(from->shape, 0, axis);
    const int64_t inner = tn_extent_product(from->shape, axis + 1, from->rank);
    int64_t *rows = call->workspace;
    indices_read(indices, 0, count, rows);
    TN_TRY(indices_resolve(call->host, rows, count, extent, mode));
    gather_rows(call->host, tn_data(from), tn_data(call->outputs[0]), rows, count, outer, extent,
                inner * (int64_t)TN_DTYPE_SIZE(from->dtype));
    return TN_OK;
}

/* The axis that inference has accepted. */
static int32_t take_axis(const void *attributes, const tn_view *data) {
    const take_attributes *given = attributes;
    return (int32_t)(given->axis < 0 ? given->axis + data->rank : given->axis);
}

tn_status take_prepare(tn_prepare_call *call) {
    const tn_view *data = call->inputs[0];
    return prepare_indices(call, 1, data, take_axis(call->attributes, data));
}

tn_status take_run(const tn_run_call *call) {
    const take_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    return run_take(call, data, call->inputs[1], take_axis(given, data), given->mode);
}

static tn_status embedding_infer(tn_infer_call *call) {
    const embedding_attributes *given = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    tn_tensor_type *weight = &call->inputs[1], *output = &call->outputs[0];
    const tn_shape table = tn_shape_of(2, (const int64_t[]){given->input_dim, given->output_dim});
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, weight->dtype));
    if (output->dtype == 0) {
        output->dtype = given->dtype;
    }
    TN_TRY(tn_infer_dtype(call->host, "weight", &weight->dtype, output->dtype));
    TN_TRY(tn_infer_shape(call->host, "weight", &weight->shape, &table));
    if (data->rank < 0) {
        return TN_OK;
    }
    tn_shape fact = *data;
    TN_TRY(extents_append(call->host, &fact, given->output_dim));
    return tn_infer_shape(call->host, "output", &output->shape, &fact);
}

tn_status embedding_prepare(tn_prepare_call *call) {
    return prepare_indices(call, 0, call->inputs[1], 0);
}

tn_status embedding_run(const tn_run_call *call) {
    return run_take(call, call->inputs[1], call->inputs[0], 0, INDEX_CLIP);
}

static const char *const take_names[] = {"a", "indices"};

const tn_op take_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The slices of a along one axis that the indices name: the axis is replaced by the axes "
           "of indices. Fractions of indices are cut off.",
    OP_ATTRIBUTES(take_table, take_attributes),
    OP_INPUTS(take_names),
    .infer = take_infer,
};

static const char *const embedding_names[] = {"data", "weight"};

const tn_op embedding_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each index in data the vector in that row of weight. An index beyond the rows "
           "means the nearest one.",
    OP_ATTRIBUTES(embedding_table, embedding_attributes),
    OP_INPUTS(embedding_names),
    .infer = embedding_infer,
};
