/* Expand, Tile, Where and ConstantOfShape: elements repeated over a larger shape. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"
#include "strided_copy.h"

static const char *const output_names[] = {"output"};
static const uint32_t second_input[] = {1};
static const uint32_t first_input[] = {0};

static tn_status shape_from_list(const tn_host *host, const integer_list *list,
                                 tn_shape *out_shape) {
    if (list->count > TN_MAX_RANK) {
        return tn_fail(host, TN_OUT_OF_RANGE, "a shape of %d axes", (int)list->count);
    }
    for (int32_t i = 0; i < list->count; i++) {
        if (list->values[i] < 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "extent %d of the shape is %lld", (int)i,
                           (long long)list->values[i]);
        }
    }
    *out_shape = tn_shape_of(list->count, list->values);
    return TN_OK;
}

/* Expand */

static const char *const expand_names[] = {"input", "shape"};

static tn_status infer_expand(tn_infer_call *call) {
    integer_list list;
    tn_shape result;
    TN_TRY(infer_output_dtype_like(call, 0));
    TN_TRY(integers_of_input(call, "shape", 1, NULL, &list));
    if (!list.is_known || call->input_values[1] == NULL) {
        return TN_OK;
    }
    TN_TRY(shape_from_list(call->host, &list, &result));
    TN_TRY(stretch_shape(call->host, &call->inputs[0].shape, &result));
    return infer_output_shape(call, &result);
}

const tn_op expand_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input stretched along axes of extent 1, or that it lacks, to the common shape of "
           "its own and the one given.",
    OP_INPUTS(expand_names),
    OP_OUTPUTS(output_names),
    OP_VALUE_INPUTS(second_input),
    .infer = infer_expand,
};

static tn_status run_expand(const tn_run_call *call) {
    const tn_shape data = shape_of_view(call->inputs[0]);
    integer_list list;
    tn_shape result;
    strided_copy copy;
    TN_TRY(integers_of(call->host, "shape", call->inputs[1], NULL, &list));
    TN_TRY(shape_from_list(call->host, &list, &result));
    TN_TRY(stretch_shape(call->host, &data, &result));
    TN_TRY(check_planned_shape(call->host, call->outputs[0], &result));
    strided_copy_begin(&copy, call->outputs[0]);
    stretched_strides(call->inputs[0], copy.rank, copy.source_strides);
    strided_copy_run(call->host, &copy, tn_data(call->inputs[0]), tn_data(call->outputs[0]));
    return TN_OK;
}

const tn_kernel expand_kernel = {CPU_KERNEL("onnx.Expand"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                 .run = run_expand};

/* Tile */

static const char *const tile_names[] = {"input", "repeats"};

static tn_status tiled_shape(const tn_host *host, const tn_shape *data, const integer_list *repeats,
                             tn_shape *out_shape) {
    if (repeats->count != data->rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "there are %d repeats for %d axes",
                       (int)repeats->count, (int)data->rank);
    }
    TN_TRY(shape_from_list(host, repeats, out_shape));
    for (int32_t i = 0; i < data->rank; i++) {
        TN_TRY(
            multiply_extents(host, data->extents[i], repeats->values[i], &out_shape->extents[i]));
    }
    return TN_OK;
}

static tn_status infer_tile(tn_infer_call *call) {
    const tn_shape *data = &call->inputs[0].shape;
    integer_list repeats;
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 0) {
        return TN_OK;
    }
    tn_shape result = tn_shape_of_rank(data->rank);
    TN_TRY(integers_of_input(call, "repeats", 1, NULL, &repeats));
    if (call->input_values[1] != NULL) {
        TN_TRY(tiled_shape(call->host, data, &repeats, &result));
    }
    return infer_output_shape(call, &result);
}

const tn_op tile_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input repeated as a whole along each axis, as tiles cover a floor.",
    OP_INPUTS(tile_names),
    OP_OUTPUTS(output_names),
    OP_VALUE_INPUTS(second_input),
    .infer = infer_tile,
};

/* Each axis becomes two: the repeats, which go nowhere in the source, and the axis itself. */
static tn_status run_tile(const tn_run_call *call) {
    const tn_view *data = call->inputs[0];
    const tn_shape shape = shape_of_view(data);
    integer_list repeats;
    tn_shape result;
    int64_t strides[TN_MAX_RANK];
    strided_copy copy = {.element_size = TN_DTYPE_SIZE(data->dtype)};
    TN_TRY(integers_of(call->host, "repeats", call->inputs[1], NULL, &repeats));
    TN_TRY(tiled_shape(call->host, &shape, &repeats, &result));
    TN_TRY(check_planned_shape(call->host, call->outputs[0], &result));
    row_major_strides(data->rank, data->shape, strides);
    int64_t target = tn_element_count(call->outputs[0]);
    for (int32_t i = 0; i < data->rank && target > 0; i++) {
        const int64_t extents[] = {repeats.values[i], data->shape[i]};
        for (int part = 0; part < 2; part++) {
            target /= extents[part];
            if (extents[part] == 1) {
                continue;
            }
            if (copy.rank == TN_MAX_RANK) {
                return tn_fail(call->host, TN_UNSUPPORTED, "too many axes are repeated");
            }
            copy.extents[copy.rank] = extents[part];
            copy.source_strides[copy.rank] = part == 0 ? 0 : strides[i];
            copy.target_strides[copy.rank++] = target;
        }
    }
    if (tn_element_count(call->outputs[0]) > 0) {
        strided_copy_run(call->host, &copy, tn_data(data), tn_data(call->outputs[0]));
    }
    return TN_OK;
}

const tn_kernel tile_kernel = {CPU_KERNEL("onnx.Tile"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                               .run = run_tile};

/* ConstantOfShape */

static const char *const constant_names[] = {"input", "value"};

static tn_status infer_constant(tn_infer_call *call) {
    integer_list list;
    tn_shape result;
    const int has_value = call->inputs[1].dtype != 0 || call->inputs[1].shape.rank >= 0;
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype,
                          has_value ? call->inputs[1].dtype : TN_F32));
    if (call->input_values[0] == NULL) {
        const int64_t rank = listed_count(call, 0);
        result = tn_shape_of_rank((int32_t)rank);
        return rank < 0 || rank > TN_MAX_RANK ? TN_OK : infer_output_shape(call, &result);
    }
    TN_TRY(integers_of_input(call, "the shape", 0, NULL, &list));
    TN_TRY(shape_from_list(call->host, &list, &result));
    return infer_output_shape(call, &result);
}

const tn_op constant_of_shape_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "A tensor of the shape that the input holds, full of one value; 0 when there is none.",
    OP_INPUTS(constant_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(second_input),
    OP_VALUE_INPUTS(first_input),
    .infer = infer_constant,
};

static tn_status run_constant(const tn_run_call *call) {
    const tn_view *value = run_input(call, 1);
    integer_list list;
    tn_shape result;
    TN_TRY(integers_of(call->host, "the shape", call->inputs[0], NULL, &list));
    TN_TRY(shape_from_list(call->host, &list, &result));
    TN_TRY(check_planned_shape(call->host, call->outputs[0], &result));
    fill_tensor(call->outputs[0], value == NULL ? NULL : tn_data(value));
    return TN_OK;
}

const tn_kernel constant_of_shape_kernel = {CPU_KERNEL("onnx.ConstantOfShape"),
                                            .flags = TN_KERNEL_MOVES_ELEMENTS, .run = run_constant};

/* Where */

static const char *const where_names[] = {"condition", "X", "Y"};

static tn_status infer_where(tn_infer_call *call) {
    tn_shape result = tn_shape_of(0, NULL);
    TN_TRY(infer_output_dtype_like(call, 1));
    TN_TRY(infer_output_dtype_like(call, 2));
    TN_TRY(infer_output_dtype_like(call, 1));
    TN_TRY(tn_infer_dtype(call->host, "condition", &call->inputs[0].dtype, TN_BOOL));
    for (uint32_t i = 0; i < 3; i++) {
        TN_TRY(stretch_shape(call->host, &call->inputs[i].shape, &result));
    }
    return infer_output_shape(call, &result);
}

const tn_op where_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "Takes each element from X where the condition is true and from Y where it is not; all "
           "three are stretched to one shape.",
    OP_INPUTS(where_names),
    OP_OUTPUTS(output_names),
    .infer = infer_where,
};

typedef struct where_job {
    const tn_run_call *call;
    int64_t strides[3][TN_MAX_RANK];
} where_job;

static void choose_range(void *context, int64_t begin, int64_t end) {
    const where_job *job = context;
    const tn_view *output = job->call->outputs[0];
    const size_t size = TN_DTYPE_SIZE(output->dtype);
    const uint8_t *condition = tn_data(job->call->inputs[0]);
    const char *chosen = tn_data(job->call->inputs[1]), *other = tn_data(job->call->inputs[2]);
    char *target = tn_data(output);
    shape_walk walk;
    walk_begin(&walk, output->rank, output->shape);
    for (int i = 0; i < 3; i++) {
        walk_add(&walk, job->strides[i]);
    }
    walk_go_to(&walk, begin);
    for (int64_t i = begin; i < end; i++) {
        const char *source = condition[walk.offsets[0]] ? chosen + walk.offsets[1] * (int64_t)size
                                                        : other + walk.offsets[2] * (int64_t)size;
        copy_element(target + i * (int64_t)size, source, size);
        walk_on(&walk);
    }
}

static tn_status run_where(const tn_run_call *call) {
    where_job job = {.call = call};
    for (int i = 0; i < 3; i++) {
        stretched_strides(call->inputs[i], call->outputs[0]->rank, job.strides[i]);
    }
    tn_parallel_for(call->host, tn_element_count(call->outputs[0]), 16384, choose_range, &job);
    return TN_OK;
}

const tn_kernel where_kernel = {CPU_KERNEL("onnx.Where"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                .run = run_where};
