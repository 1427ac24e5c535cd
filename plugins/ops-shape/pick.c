/* pick: one element along an axis for each place beside it. */
#include "extents.h"
#include "indices.h"
#include "operator.h"
#include "operators.h"

typedef struct pick_attributes {
    int64_t axis;
    int32_t keepdims;
    int32_t mode;
} pick_attributes;

enum { MODE_CLIP, MODE_WRAP };

static const tn_attribute attribute_table[] = {
    TN_FIELD(pick_attributes, axis, INT, "-1", "[-32,31]", "The axis to pick along."),
    TN_FIELD(pick_attributes, keepdims, BOOL, "False", NULL,
             "Whether the output keeps the axis, with extent 1."),
    TN_FIELD_CHOICE(pick_attributes, mode, "clip", "clip|wrap",
                    "What an index beyond the axis means: the nearest one there is, or the one "
                    "modulo the axis' extent."),
};

static tn_status pick_infer(tn_infer_call *call) {
    const pick_attributes *given = call->attributes;
    tn_tensor_type *data = &call->inputs[0], *output = &call->outputs[0];
    tn_shape *index = &call->inputs[1].shape;
    int32_t axis = 0;
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, data->dtype));
    TN_TRY(tn_infer_dtype(call->host, "data", &data->dtype, output->dtype));
    if (data->shape.rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, given->axis, data->shape.rank, &axis));
    const tn_shape without = extents_without_axis(&data->shape, axis);
    tn_shape with = data->shape;
    with.extents[axis] = 1;
    TN_TRY(
        tn_infer_shape(call->host, "output", &output->shape, given->keepdims ? &with : &without));
    return tn_infer_shape(call->host, "index", index,
                          index->rank == data->shape.rank ? &with : &without);
}

tn_status pick_prepare(tn_prepare_call *call) {
    const tn_view *data = call->inputs[0];
    const int64_t count = tn_element_count(call->inputs[1]);
    if (count > 0 && tn_element_count(data) == 0) {
        return tn_fail(call->host, TN_OUT_OF_RANGE, "%lld indices into an axis without elements",
                       (long long)count);
    }
    call->workspace_size = (uint64_t)count * sizeof(int64_t);
    return TN_OK;
}

tn_status pick_run(const tn_run_call *call) {
    const pick_attributes *given = call->attributes;
    const tn_view *data = call->inputs[0];
    const int32_t axis = (int32_t)(given->axis < 0 ? given->axis + data->rank : given->axis);
    const int64_t extent = data->shape[axis];
    const int64_t outer = tn_extent_product(data->shape, 0, axis);
    const int64_t inner = tn_extent_product(data->shape, axis + 1, data->rank);
    int64_t *elements = call->workspace;
    indices_read(call->inputs[1], 0, outer * inner, elements);
    TN_TRY(indices_resolve(call->host, elements, outer * inner, extent,
                           given->mode == MODE_CLIP ? INDEX_CLIP : INDEX_WRAP));
    for (int64_t o = 0; o < outer; o++) {
        for (int64_t i = 0; i < inner; i++) {
            int64_t *element = &elements[o * inner + i];
            *element = (o * extent + *element) * inner + i;
        }
    }
    gather_rows(call->host, tn_data(data), tn_data(call->outputs[0]), elements, outer * inner, 1, 0,
                (int64_t)TN_DTYPE_SIZE(data->dtype));
    return TN_OK;
}

static const char *const input_names[] = {"data", "index"};

const tn_op pick_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "For each place beside the axis the one element of data along it that index names. "
           "index has the shape of data without the axis, or with extent 1 there.",
    OP_ATTRIBUTES(attribute_table, pick_attributes),
    OP_INPUTS(input_names),
    .infer = pick_infer,
};
