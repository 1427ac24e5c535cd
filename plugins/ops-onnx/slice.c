/* Slice and Split: parts of a tensor. */
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"
#include "shapes.h"
#include "strided_copy.h"

typedef struct slice_attributes {
    tn_ints starts;
    tn_ints ends;
    tn_ints axes;
    tn_ints steps;
} slice_attributes;

static const tn_attribute slice_table[] = {
    TN_FIELD(slice_attributes, starts, INTS, "()", NULL,
             "The first indices, from the end when "
             "negative; when they are not an input."),
    TN_FIELD(slice_attributes, ends, INTS, "()", NULL, "The indices to stop before, likewise."),
    TN_FIELD_OR_NONE(slice_attributes, axes, INTS, "None", "[-32,31]",
                     "The axes that they are of, likewise; None: the first axes."),
    TN_FIELD_OR_NONE(slice_attributes, steps, INTS, "None", NULL,
                     "The steps, negative ones backwards, likewise; None: ones."),
};

static const char *const slice_names[] = {"data", "starts", "ends", "axes", "steps"};
static const char *const output_names[] = {"output"};
static const uint32_t slice_optional[] = {1, 2, 3, 4};

/* The part of one axis: from `start`, `count` elements. */
typedef struct slice_axis {
    int64_t start, step, count;
} slice_axis;

static int64_t clamp(int64_t value, int64_t lowest, int64_t highest) {
    return value < lowest ? lowest : value > highest ? highest : value;
}

static tn_status cut_axis(const tn_host *host, int64_t start, int64_t end, int64_t step,
                          int64_t extent, slice_axis *out_axis) {
    if (step == 0) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "a step is 0");
    }
    const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? extent : extent - 1;
    /* In front of an axis means its first element, also backwards; an empty axis has none. */
    start = clamp(start < 0 ? start + extent : start, extent > 0 ? 0 : lowest, highest);
    if (step < 0 && (end == INT32_MAX || end == INT64_MAX)) {
        end = -1; /* what means "to the end" is written in both directions */
    } else {
        end = clamp(end < 0 ? end + extent : end, lowest, highest);
    }
    const uint64_t size = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    const int64_t span = step > 0 ? end - start : start - end;
    *out_axis =
        (slice_axis){start, step, span <= 0 ? 0 : 1 + (int64_t)((uint64_t)(span - 1) / size)};
    return TN_OK;
}

/* What the four lists say; `cuts` has room for every axis. An unknown extent leaves an unknown
 * count. */
static tn_status cut_shape(const tn_host *host, const tn_shape *data, const integer_list lists[4],
                           slice_axis *cuts) {
    const integer_list *starts = &lists[0], *ends = &lists[1], *steps = &lists[3];
    integer_list axes = lists[2];
    for (int32_t i = 0; i < data->rank; i++) {
        cuts[i] = (slice_axis){0, 1, data->extents[i]};
    }
    if (axes.count == 0) {
        axes.count = starts->count;
        for (int32_t i = 0; i < axes.count; i++) {
            axes.values[i] = i;
        }
    }
    if (ends->count != starts->count || axes.count != starts->count ||
        (steps->count != 0 && steps->count != starts->count)) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "%d starts, %d ends, %d axes and %d steps do not fit together",
                       (int)starts->count, (int)ends->count, (int)axes.count, (int)steps->count);
    }
    TN_TRY(resolve_axes(host, &axes, data->rank));
    for (int32_t i = 0; i < axes.count; i++) {
        const int32_t axis = (int32_t)axes.values[i];
        if (data->extents[axis] < 0) {
            cuts[axis].count = TN_UNKNOWN;
            continue;
        }
        TN_TRY(cut_axis(host, starts->values[i], ends->values[i],
                        steps->count > 0 ? steps->values[i] : 1, data->extents[axis], &cuts[axis]));
    }
    return TN_OK;
}

static tn_status infer_slice(tn_infer_call *call) {
    const slice_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    integer_list lists[4];
    slice_axis cuts[TN_MAX_RANK];
    TN_TRY(infer_output_dtype_like(call, 0));
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(integers_of_input(call, "starts", 1, &own->starts, &lists[0]));
    TN_TRY(integers_of_input(call, "ends", 2, &own->ends, &lists[1]));
    TN_TRY(integers_of_input(call, "axes", 3, &own->axes, &lists[2]));
    TN_TRY(integers_of_input(call, "steps", 4, &own->steps, &lists[3]));
    tn_shape result = tn_shape_of_rank(data->rank);
    if (lists[0].is_known && lists[1].is_known && lists[2].is_known && lists[3].is_known) {
        TN_TRY(cut_shape(call->host, data, lists, cuts));
        for (int32_t i = 0; i < data->rank; i++) {
            result.extents[i] = cuts[i].count;
        }
    }
    return infer_output_shape(call, &result);
}

const tn_op slice_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The elements from starts until before ends, in steps, along some axes. What is beyond "
           "an axis means its end.",
    OP_ATTRIBUTES(slice_table, slice_attributes),
    OP_INPUTS(slice_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(slice_optional),
    OP_VALUE_INPUTS(slice_optional),
    .infer = infer_slice,
};

static tn_status run_slice(const tn_run_call *call) {
    const slice_attributes *own = call->attributes;
    const tn_shape data = shape_of_view(call->inputs[0]);
    integer_list lists[4];
    slice_axis cuts[TN_MAX_RANK];
    strided_copy copy;
    TN_TRY(integers_of(call->host, "starts", run_input(call, 1), &own->starts, &lists[0]));
    TN_TRY(integers_of(call->host, "ends", run_input(call, 2), &own->ends, &lists[1]));
    TN_TRY(integers_of(call->host, "axes", run_input(call, 3), &own->axes, &lists[2]));
    TN_TRY(integers_of(call->host, "steps", run_input(call, 4), &own->steps, &lists[3]));
    TN_TRY(cut_shape(call->host, &data, lists, cuts));
    tn_shape result = data;
    const char *source = tn_data(call->inputs[0]);
    strided_copy_begin(&copy, call->outputs[0]);
    row_major_strides(data.rank, data.extents, copy.source_strides);
    for (int32_t i = 0; i < data.rank; i++) {
        result.extents[i] = cuts[i].count;
        if (cuts[i].count > 0) {
            source += cuts[i].start * copy.source_strides[i] * (int64_t)copy.element_size;
        }
        copy.source_strides[i] = cuts[i].count > 1 ? copy.source_strides[i] * cuts[i].step : 0;
    }
    TN_TRY(check_planned_shape(call->host, call->outputs[0], &result));
    strided_copy_run(call->host, &copy, source, tn_data(call->outputs[0]));
    return TN_OK;
}

const tn_kernel slice_kernel = {CPU_KERNEL("onnx.Slice"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                .run = run_slice};

/* Split */

typedef struct split_attributes {
    int64_t axis;
    tn_ints split;
    int64_t num_outputs;
} split_attributes;

static const tn_attribute split_table[] = {
    TN_FIELD(split_attributes, axis, INT, "0", "[-32,31]", "The axis to cut."),
    TN_FIELD_OR_NONE(split_attributes, split, INTS, "None", "[0,inf)",
                     "The extents of the parts, when they are not an input; None: equal ones."),
    TN_FIELD(split_attributes, num_outputs, INT, NULL, "[1,65535]", "How many parts come out."),
};

static const char *const split_names[] = {"input", "split"};
static const char *const split_outputs[] = {"output"};
static const uint32_t split_optional[] = {1};

static tn_status split_arity(tn_arity_call *call) {
    const split_attributes *own = call->attributes;
    call->output_count = (uint32_t)own->num_outputs;
    return TN_OK;
}

/* Whether the extents of the parts are an input's elements. */
static int has_split_input(const tn_infer_call *call) {
    return call->inputs[1].dtype != 0 || call->inputs[1].shape.rank >= 0;
}

/* The extent of part `i`: listed, or equal ones of which the last may be smaller. */
static int64_t part_extent(const split_attributes *own, const tn_view *list, int64_t extent,
                           int64_t i) {
    if (list != NULL) {
        return tn_element_count(list) == own->num_outputs ? ((const int64_t *)tn_data(list))[i]
                                                          : -1;
    }
    if (own->split.count > 0) {
        return own->split.count == own->num_outputs ? own->split.values[i] : -1;
    }
    const int64_t part = extent / own->num_outputs + (extent % own->num_outputs != 0);
    const int64_t left = extent - part * i;
    return left < part ? (left < 0 ? 0 : left) : part;
}

static tn_status check_parts(const tn_host *host, const split_attributes *own, const tn_view *list,
                             int64_t extent) {
    int64_t sum = 0;
    for (int64_t i = 0; i < own->num_outputs; i++) {
        const int64_t part = part_extent(own, list, extent, i);
        if (part < 0 || part > extent - sum) {
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "split does not cut an axis of %lld into %lld parts", (long long)extent,
                           (long long)own->num_outputs);
        }
        sum += part;
    }
    if (sum != extent) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "split covers %lld of an axis of %lld",
                       (long long)sum, (long long)extent);
    }
    return TN_OK;
}

static tn_status infer_split(tn_infer_call *call) {
    const split_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    const tn_view *list = call->input_values[1];
    int32_t axis = 0;
    for (uint32_t i = 0; i < call->output_count; i++) {
        TN_TRY(
            tn_infer_dtype(call->host, "a part", &call->outputs[i].dtype, call->inputs[0].dtype));
    }
    if (has_split_input(call)) {
        TN_TRY(tn_infer_dtype(call->host, "split", &call->inputs[1].dtype, TN_I64));
    }
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    const int is_known = data->extents[axis] >= 0 && (list != NULL || !has_split_input(call));
    if (is_known) {
        TN_TRY(check_parts(call->host, own, list, data->extents[axis]));
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        tn_shape part = *data;
        part.extents[axis] = is_known ? part_extent(own, list, data->extents[axis], i) : TN_UNKNOWN;
        TN_TRY(tn_infer_shape(call->host, "a part", &call->outputs[i].shape, &part));
    }
    return TN_OK;
}

const tn_op split_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input cut along an axis into parts of given extents, or of equal ones, of which "
           "the last may be smaller.",
    OP_ATTRIBUTES(split_table, split_attributes),
    OP_INPUTS(split_names),
    OP_OUTPUTS(split_outputs),
    OP_OPTIONAL(split_optional),
    OP_VALUE_INPUTS(split_optional),
    .arity = split_arity,
    .infer = infer_split,
};

static tn_status run_split(const tn_run_call *call) {
    const split_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *list = run_input(call, 1);
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    TN_TRY(check_parts(call->host, own, list, data->shape[axis]));
    const int64_t outer = tn_extent_product(data->shape, 0, axis);
    const size_t row =
        (size_t)tn_extent_product(data->shape, axis + 1, data->rank) * TN_DTYPE_SIZE(data->dtype);
    const char *source = tn_data(data);
    for (uint32_t i = 0; i < call->output_count; i++) {
        const int64_t part = part_extent(own, list, data->shape[axis], i);
        if (part != call->outputs[i]->shape[axis]) {
            return tn_fail(call->host, TN_FAILED_PRECONDITION,
                           "part %u has extent %lld, but the plan was made for %lld", (unsigned)i,
                           (long long)part, (long long)call->outputs[i]->shape[axis]);
        }
        const size_t size = (size_t)part * row;
        for (int64_t j = 0; j < outer; j++) {
            memcpy((char *)tn_data(call->outputs[i]) + (size_t)j * size,
                   source + (size_t)(j * data->shape[axis]) * row, size);
        }
        source += size;
    }
    return TN_OK;
}

const tn_kernel split_kernel = {CPU_KERNEL("onnx.Split"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                .run = run_split};
