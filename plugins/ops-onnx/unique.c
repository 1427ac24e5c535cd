/* Unique: the different elements, or slices along an axis, of a tensor. */
#include "elements.h"
#include "families.h"
#include "given_output.h"
#include "operator.h"
#include "shapes.h"

typedef struct unique_attributes {
    int64_t axis;
    int32_t sorted;
} unique_attributes;

static const tn_attribute table[] = {
    TN_FIELD_OR_NONE(unique_attributes, axis, INT, "None", "[-32,31]",
                     "The axis whose slices are compared; None: single elements are."),
    TN_FIELD(unique_attributes, sorted, BOOL, "True", NULL,
             "Whether they come out in ascending order, otherwise in the order of appearance."),
};

static const char *const input_names[] = {"X"};
static const char *const output_names[] = {"Y", "indices", "inverse_indices", "counts"};
enum { VALUES, FIRST_INDICES, INVERSE_INDICES, COUNTS };

/* The slices of a tensor along an axis. */
typedef struct slices {
    const tn_view *data;
    int64_t outer, extent, inner;
} slices;

static tn_status slices_of(const tn_host *host, const unique_attributes *own, const tn_view *data,
                           slices *out_slices) {
    int32_t axis = 0;
    *out_slices = (slices){data, 1, tn_element_count(data), 1};
    if (own->axis != TN_NONE) {
        TN_TRY(tn_resolve_axis(host, own->axis, data->rank, &axis));
        *out_slices = (slices){data, tn_extent_product(data->shape, 0, axis), data->shape[axis],
                               tn_extent_product(data->shape, axis + 1, data->rank)};
    }
    return TN_OK;
}

static const char *text_of(const char *element) {
    return element == NULL ? "" : element;
}

static int compare_elements(const tn_view *data, int64_t left, int64_t right) {
    if (data->dtype == TN_STRING) {
        const char *const *texts = tn_data(data);
        return texts[left] == texts[right] ? 0
                                           : strcmp(text_of(texts[left]), text_of(texts[right]));
    }
    if (is_floating(data->dtype)) {
        const double x = read_number(data->dtype, tn_data(data), left);
        const double y = read_number(data->dtype, tn_data(data), right);
        if (x != x || y != y) {
            return (x != x) - (y != y);
        }
        return (x > y) - (x < y);
    }
    const int64_t x = read_integer(data->dtype, tn_data(data), left);
    const int64_t y = read_integer(data->dtype, tn_data(data), right);
    return (x > y) - (x < y);
}

static int compare_slices(const slices *all, int64_t left, int64_t right) {
    for (int64_t i = 0; i < all->outer; i++) {
        for (int64_t j = 0; j < all->inner; j++) {
            const int order = compare_elements(all->data, (i * all->extent + left) * all->inner + j,
                                               (i * all->extent + right) * all->inner + j);
            if (order != 0) {
                return order;
            }
        }
    }
    return 0;
}

/* Sorts slice numbers, equal slices by their numbers; `scratch` has room for as many. */
static void sort_slices(const slices *all, int64_t *order, int64_t *scratch) {
    const int64_t count = all->extent;
    for (int64_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * width) {
            const int64_t middle = begin + width < count ? begin + width : count;
            const int64_t end = begin + 2 * width < count ? begin + 2 * width : count;
            int64_t left = begin, right = middle;
            for (int64_t i = begin; i < end; i++) {
                const int take_left =
                    left < middle &&
                    (right == end || compare_slices(all, order[left], order[right]) <= 0);
                scratch[i] = take_left ? order[left++] : order[right++];
            }
        }
        memcpy(order, scratch, (size_t)count * sizeof *order);
    }
}

/* Gives each slice, in `group`, the number of the first slice that is the same; how many are. */
static int64_t group_slices(const slices *all, int64_t *group, int64_t *order, int64_t *scratch) {
    int64_t count = 0;
    sort_slices(all, order, scratch);
    for (int64_t i = 0; i < all->extent; i++) {
        const int is_new = i == 0 || compare_slices(all, order[i - 1], order[i]) != 0;
        group[order[i]] = is_new ? order[i] : group[order[i - 1]];
        count += is_new;
    }
    return count;
}

static tn_status infer(tn_infer_call *call) {
    const unique_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    const int64_t count = TN_UNKNOWN;
    int64_t extent = 1;
    int32_t axis = 0;
    TN_TRY(tn_infer_dtype(call->host, "Y", &call->outputs[VALUES].dtype, call->inputs[0].dtype));
    for (int i = FIRST_INDICES; i <= COUNTS; i++) {
        TN_TRY(tn_infer_dtype(call->host, "the indices", &call->outputs[i].dtype, TN_I64));
    }
    if (data->rank < 0) {
        return TN_OK;
    }
    tn_shape values = tn_shape_of_rank(1);
    if (own->axis != TN_NONE) {
        TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
        values = *data;
        extent = data->extents[axis];
    } else {
        for (int32_t i = 0; i < data->rank && extent >= 0; i++) {
            extent = data->extents[i] < 0 ? TN_UNKNOWN : extent * data->extents[i];
        }
    }
    values.extents[axis] = count;
    const tn_shape each = tn_shape_of(1, &count), inverse = tn_shape_of(1, &extent);
    TN_TRY(tn_infer_shape(call->host, "Y", &call->outputs[VALUES].shape, &values));
    TN_TRY(tn_infer_shape(call->host, "indices", &call->outputs[FIRST_INDICES].shape, &each));
    TN_TRY(tn_infer_shape(call->host, "counts", &call->outputs[COUNTS].shape, &each));
    return tn_infer_shape(call->host, "inverse_indices", &call->outputs[INVERSE_INDICES].shape,
                          &inverse);
}

const tn_op unique_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_DATA_DEPENDENT,
    .doc =
        "The different elements, or slices along an axis; where each of them was first, which of "
        "them each input element is, and how often each appears.",
    OP_ATTRIBUTES(table, unique_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    .infer = infer,
};

static tn_status prepare(tn_prepare_call *call) {
    slices all;
    TN_TRY(slices_of(call->host, call->attributes, call->inputs[0], &all));
    call->workspace_size = (uint64_t)all.extent * 3 * sizeof(int64_t);
    return TN_OK;
}

static void copy_slice(const slices *all, int64_t from, const tn_view *output, int64_t to,
                       int64_t count) {
    const size_t row = (size_t)all->inner * TN_DTYPE_SIZE(all->data->dtype);
    for (int64_t i = 0; i < all->outer; i++) {
        memcpy((char *)tn_data(output) + (size_t)(i * count + to) * row,
               (const char *)tn_data(all->data) + (size_t)(i * all->extent + from) * row, row);
    }
}

static tn_status open_outputs(const tn_run_call *call, const unique_attributes *own, int64_t count,
                              const slices *all, const tn_view **out_values,
                              const tn_view **out_firsts, const tn_view **out_inverses,
                              const tn_view **out_counts) {
    const tn_view *data = call->inputs[0];
    const tn_shape each = tn_shape_of(1, &count), inverse = tn_shape_of(1, &all->extent);
    tn_shape shape = each;
    int32_t axis = 0;
    if (own->axis != TN_NONE) {
        TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
        shape = shape_of_view(data);
        shape.extents[axis] = count;
    }
    TN_TRY(open_output(call, VALUES, data->dtype, &shape, out_values));
    TN_TRY(open_output(call, FIRST_INDICES, TN_I64, &each, out_firsts));
    TN_TRY(open_output(call, INVERSE_INDICES, TN_I64, &inverse, out_inverses));
    return open_output(call, COUNTS, TN_I64, &each, out_counts);
}

static tn_status run(const tn_run_call *call) {
    const unique_attributes *own = call->attributes;
    slices all;
    TN_TRY(slices_of(call->host, own, call->inputs[0], &all));
    int64_t *group = call->workspace, *order = group + all.extent;
    int64_t *numbers = order + all.extent; /* by the first slice of a group */
    const int64_t count = group_slices(&all, group, order, numbers);
    const tn_view *values, *firsts, *inverses, *how_often;
    TN_TRY(open_outputs(call, own, count, &all, &values, &firsts, &inverses, &how_often));
    int64_t *first = tn_data(firsts), *inverse = tn_data(inverses), *counts = tn_data(how_often);
    int64_t number = 0;
    for (int64_t i = 0; i < all.extent; i++) {
        const int64_t slice = own->sorted ? order[i] : i;
        if (group[slice] == slice) {
            copy_slice(&all, slice, values, number, count);
            first[number] = slice;
            counts[number] = 0;
            numbers[slice] = number++;
        }
    }
    for (int64_t i = 0; i < all.extent; i++) {
        inverse[i] = numbers[group[i]];
        counts[inverse[i]]++;
    }
    return TN_OK;
}

const tn_kernel unique_kernel = {CPU_KERNEL("onnx.Unique"), .flags = TN_KERNEL_MOVES_ELEMENTS,
                                 .prepare = prepare, .run = run};
