/* ArgMax, ArgMin, Hardmax, CumSum and CumProd: what runs along one axis. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"

/* A tensor as lines along an axis. */
typedef struct lines {
    int64_t count, length, stride;
} lines;

static lines lines_along(const tn_view *view, int32_t begin, int32_t end) {
    return (lines){tn_extent_product(view->shape, 0, begin) *
                       tn_extent_product(view->shape, end, view->rank),
                   tn_extent_product(view->shape, begin, end),
                   tn_extent_product(view->shape, end, view->rank)};
}

/* The element that line `number` begins at. */
static int64_t line_start(const lines *all, int64_t number) {
    return number / all->stride * all->length * all->stride + number % all->stride;
}

/* The place of the greatest element of a line, or of the least; a NaN is both. */
static int64_t find_extreme(const tn_view *data, const lines *all, int64_t number, int is_least,
                            int takes_last) {
    const int64_t start = line_start(all, number);
    int64_t found = 0;
    for (int64_t i = 1; i < all->length; i++) {
        const int64_t at = start + i * all->stride, best = start + found * all->stride;
        int order;
        if (is_floating(data->dtype)) {
            const double x = read_number(data->dtype, tn_data(data), at);
            const double y = read_number(data->dtype, tn_data(data), best);
            order = x != x || y != y ? (x != x) - (y != y)
                    : is_least       ? (x < y) - (x > y)
                                     : (x > y) - (x < y);
        } else {
            const int64_t x = read_integer(data->dtype, tn_data(data), at);
            const int64_t y = read_integer(data->dtype, tn_data(data), best);
            order = is_least ? (x < y) - (x > y) : (x > y) - (x < y);
        }
        found = order > 0 || (order == 0 && takes_last) ? i : found;
    }
    return found;
}

/* ArgMax and ArgMin */

typedef struct arg_attributes {
    int64_t axis;
    int32_t keepdims;
    int32_t select_last_index;
} arg_attributes;

static const tn_attribute arg_table[] = {
    TN_FIELD(arg_attributes, axis, INT, "0", "[-32,31]", "The axis to look along."),
    TN_FIELD(arg_attributes, keepdims, BOOL, "True", NULL,
             "Whether the axis stays, with extent 1."),
    TN_FIELD(arg_attributes, select_last_index, BOOL, "False", NULL,
             "Whether the last of equal elements counts, otherwise the first."),
};

static const char *const data_names[] = {"data"};
static const char *const output_names[] = {"output"};

static tn_status infer_arg(tn_infer_call *call) {
    const arg_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    int32_t axis = 0;
    TN_TRY(tn_infer_dtype(call->host, "the output", &call->outputs[0].dtype, TN_I64));
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    if (data->extents[axis] == 0) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "axis %d has no elements", (int)axis);
    }
    tn_shape result = *data;
    result.extents[axis] = 1;
    if (!own->keepdims) {
        result.rank--;
        for (int32_t i = axis; i < result.rank; i++) {
            result.extents[i] = data->extents[i + 1];
        }
    }
    return infer_output_shape(call, &result);
}

#define ARG_OP(DOC)                                                                                \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(arg_table, arg_attributes),           \
        OP_INPUTS(data_names), OP_OUTPUTS(output_names), .infer = infer_arg                        \
    }

const tn_op arg_max_op = ARG_OP("The index, as int64, of the greatest element along an axis.");
const tn_op arg_min_op = ARG_OP("The index, as int64, of the least element along an axis.");

typedef struct arg_job {
    const tn_run_call *call;
    lines all;
    int is_least;
} arg_job;

static void find_range(void *context, int64_t begin, int64_t end) {
    const arg_job *job = context;
    const arg_attributes *own = job->call->attributes;
    int64_t *indices = tn_data(job->call->outputs[0]);
    for (int64_t i = begin; i < end; i++) {
        indices[i] =
            find_extreme(job->call->inputs[0], &job->all, i, job->is_least, own->select_last_index);
    }
}

static tn_status run_arg(const tn_run_call *call, int is_least) {
    const arg_attributes *own = call->attributes;
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, call->inputs[0]->rank, &axis));
    arg_job job = {call, lines_along(call->inputs[0], axis, axis + 1), is_least};
    tn_parallel_for(call->host, job.all.count, 4096 / job.all.length + 1, find_range, &job);
    return TN_OK;
}

static tn_status run_arg_max(const tn_run_call *call) {
    return run_arg(call, 0);
}

static tn_status run_arg_min(const tn_run_call *call) {
    return run_arg(call, 1);
}

const tn_kernel arg_max_kernel = {CPU_KERNEL("onnx.ArgMax"), .run = run_arg_max};
const tn_kernel arg_min_kernel = {CPU_KERNEL("onnx.ArgMin"), .run = run_arg_min};

/* Hardmax */

typedef struct hardmax_attributes {
    int64_t axis;
    int32_t flatten;
} hardmax_attributes;

static const tn_attribute hardmax_table[] = {
    TN_FIELD(hardmax_attributes, axis, INT, "-1", "[-32,31]", "The axis to look along."),
    TN_FIELD(hardmax_attributes, flatten, BOOL, "False", NULL,
             "Takes the axis and all behind it as one, as ONNX did before operator set 13."),
};

static tn_status infer_hardmax(tn_infer_call *call) {
    const hardmax_attributes *own = call->attributes;
    int32_t axis = 0;
    TN_TRY(infer_output_like(call, 0));
    return call->inputs[0].shape.rank < 0
               ? TN_OK
               : tn_resolve_axis(call->host, own->axis, call->inputs[0].shape.rank, &axis);
}

const tn_op hardmax_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "1 at the first greatest element along an axis, 0 elsewhere.",
    OP_ATTRIBUTES(hardmax_table, hardmax_attributes),
    OP_INPUTS(data_names),
    OP_OUTPUTS(output_names),
    .infer = infer_hardmax,
};

static tn_status run_hardmax(const tn_run_call *call) {
    const hardmax_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    const lines all = lines_along(data, axis, own->flatten ? data->rank : axis + 1);
    memset(tn_data(output), 0, tn_byte_size(output));
    for (int64_t i = 0; i < all.count && all.length > 0; i++) {
        const int64_t place = find_extreme(data, &all, i, 0, 0);
        write_number(output->dtype, tn_data(output), line_start(&all, i) + place * all.stride, 1);
    }
    return TN_OK;
}

const tn_kernel hardmax_kernel = {CPU_KERNEL("onnx.Hardmax"), .run = run_hardmax};

/* CumSum and CumProd */

typedef struct cumulate_attributes {
    int32_t exclusive;
    int32_t reverse;
} cumulate_attributes;

static const tn_attribute cumulate_table[] = {
    TN_FIELD(cumulate_attributes, exclusive, BOOL, "False", NULL,
             "Whether an element itself is left out."),
    TN_FIELD(cumulate_attributes, reverse, BOOL, "False", NULL,
             "Whether the axis is gone along backwards."),
};

static const char *const cumulate_names[] = {"x", "axis"};

static tn_status infer_cumulate(tn_infer_call *call) {
    return infer_output_like(call, 0);
}

#define CUMULATE_OP(DOC)                                                                           \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = DOC, OP_ATTRIBUTES(cumulate_table, cumulate_attributes), \
        OP_INPUTS(cumulate_names), OP_OUTPUTS(output_names), .infer = infer_cumulate               \
    }

const tn_op cum_sum_op = CUMULATE_OP("For each element the sum of those up to it along an axis.");
const tn_op cum_prod_op =
    CUMULATE_OP("For each element the product of those up to it along an axis.");

static tn_status run_cumulate(const tn_run_call *call, int multiplies) {
    const cumulate_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    const tn_dtype dtype = data->dtype;
    integer_list list;
    TN_TRY(integers_of(call->host, "axis", call->inputs[1], NULL, &list));
    if (list.count != 1) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT, "axis is not one number");
    }
    TN_TRY(resolve_axes(call->host, &list, data->rank));
    const lines all = lines_along(data, (int32_t)list.values[0], (int32_t)list.values[0] + 1);
    for (int64_t line = 0; line < all.count; line++) {
        const int64_t start = line_start(&all, line);
        double number = multiplies;
        uint64_t integer = (uint64_t)multiplies;
        for (int64_t i = 0; i < all.length; i++) {
            const int64_t place = own->reverse ? all.length - 1 - i : i;
            const int64_t at = start + place * all.stride;
            const double x = read_number(dtype, tn_data(data), at);
            const uint64_t n = (uint64_t)read_integer(dtype, tn_data(data), at);
            const double next = multiplies ? number * x : number + x;
            const uint64_t next_integer = multiplies ? integer * n : integer + n;
            if (is_floating(dtype)) {
                write_number(dtype, tn_data(output), at, own->exclusive ? number : next);
            } else {
                write_integer(dtype, tn_data(output), at,
                              (int64_t)(own->exclusive ? integer : next_integer));
            }
            number = next;
            integer = next_integer;
        }
    }
    return TN_OK;
}

static tn_status run_cum_sum(const tn_run_call *call) {
    return run_cumulate(call, 0);
}

static tn_status run_cum_prod(const tn_run_call *call) {
    return run_cumulate(call, 1);
}

const tn_kernel cum_sum_kernel = {CPU_KERNEL("onnx.CumSum"), .run = run_cum_sum};
const tn_kernel cum_prod_kernel = {CPU_KERNEL("onnx.CumProd"), .run = run_cum_prod};
