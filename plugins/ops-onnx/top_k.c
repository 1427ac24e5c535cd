/* TopK: the largest or smallest elements along an axis, and where they were. */
#include "elements.h"
#include "families.h"
#include "integers.h"
#include "one_output.h"
#include "operator.h"

typedef struct top_k_attributes {
    int64_t axis;
    int64_t k;
    int32_t largest;
    int32_t sorted;
} top_k_attributes;

static const tn_attribute table[] = {
    TN_FIELD(top_k_attributes, axis, INT, "-1", "[-32,31]", "The axis to choose along."),
    TN_FIELD_OR_NONE(top_k_attributes, k, INT, "None", "[0,inf)",
                     "How many elements come out; None: the input K says it."),
    TN_FIELD(top_k_attributes, largest, BOOL, "True", NULL,
             "Whether the largest elements come out, otherwise the smallest."),
    TN_FIELD(top_k_attributes, sorted, BOOL, "True", NULL,
             "Accepted for compatibility: the elements always come out in order."),
};

static const char *const input_names[] = {"X", "K"};
static const char *const output_names[] = {"Values", "Indices"};
static const uint32_t optional[] = {1};

/* -1: not known yet. */
static tn_status find_k(const tn_host *host, const top_k_attributes *own, const tn_view *view,
                        int64_t extent, int64_t *out_k) {
    int64_t k = own->k == TN_NONE ? -1 : own->k;
    if (view != NULL) {
        if (tn_element_count(view) != 1) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "K has %lld elements, expected one",
                           (long long)tn_element_count(view));
        }
        k = read_integer(view->dtype, tn_data(view), 0);
        if (k < 0) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "K is %lld", (long long)k);
        }
    }
    if (extent >= 0 && k > extent) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "K is %lld, but the axis has %lld elements",
                       (long long)k, (long long)extent);
    }
    *out_k = k;
    return TN_OK;
}

static tn_status infer(tn_infer_call *call) {
    const top_k_attributes *own = call->attributes;
    const tn_shape *data = &call->inputs[0].shape;
    int32_t axis = 0;
    int64_t k = 0;
    TN_TRY(infer_output_dtype_like(call, 0));
    TN_TRY(tn_infer_dtype(call->host, "Indices", &call->outputs[1].dtype, TN_I64));
    if (data->rank < 0) {
        return TN_OK;
    }
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    TN_TRY(find_k(call->host, own, call->input_values[1], data->extents[axis], &k));
    tn_shape result = *data;
    result.extents[axis] = k;
    TN_TRY(infer_output_shape(call, &result));
    return tn_infer_shape(call->host, "Indices", &call->outputs[1].shape, &result);
}

const tn_op top_k_op = {
    .struct_size = TN_OP_SIZE,
    .doc =
        "The k largest or smallest elements along an axis, in order, and their indices. Of equal "
        "ones the first comes first; NaN counts as larger than every number.",
    OP_ATTRIBUTES(table, top_k_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    OP_VALUE_INPUTS(optional),
    .infer = infer,
};

/* An element as a key that compares as an unsigned number, and its place. */
typedef struct ranked {
    uint64_t key;
    int64_t place;
} ranked;

static uint64_t key_of_double(double value) {
    uint64_t bits;
    if (value != value) {
        return UINT64_MAX;
    }
    value = value == 0 ? 0 : value;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static uint64_t key_at(const tn_view *data, int64_t index, int is_descending) {
    uint64_t key;
    if (is_floating(data->dtype)) {
        key = key_of_double(read_number(data->dtype, tn_data(data), index));
    } else if (data->dtype == TN_U64) {
        key = ((const uint64_t *)tn_data(data))[index];
    } else {
        key = (uint64_t)read_integer(data->dtype, tn_data(data), index) ^ (uint64_t)1 << 63;
    }
    return is_descending ? ~key : key;
}

static int is_before(const ranked *left, const ranked *right) {
    return left->key < right->key || (left->key == right->key && left->place < right->place);
}

/* A heap whose root is the last in order. */
static void sift_down(ranked *items, int64_t count, int64_t at) {
    const ranked moved = items[at];
    for (int64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_before(&items[child], &items[child + 1])) {
            child++;
        }
        if (!is_before(&moved, &items[child])) {
            break;
        }
        items[at] = items[child];
        at = child;
    }
    items[at] = moved;
}

/* Keeps the first k in order of `count` elements in a heap, then sorts them. */
static void choose(const tn_view *data, int64_t first, int64_t stride, int64_t count, int64_t k,
                   int is_descending, ranked *items) {
    for (int64_t i = 0; i < count; i++) {
        const ranked item = {key_at(data, first + i * stride, is_descending), i};
        if (i < k) {
            items[i] = item;
            if (i == k - 1) {
                for (int64_t at = k / 2 - 1; at >= 0; at--) {
                    sift_down(items, k, at);
                }
            }
        } else if (k > 0 && is_before(&item, &items[0])) {
            items[0] = item;
            sift_down(items, k, 0);
        }
    }
    for (int64_t end = k - 1; end > 0; end--) {
        const ranked last = items[0];
        items[0] = items[end];
        items[end] = last;
        sift_down(items, end, 0);
    }
}

static tn_status prepare(tn_prepare_call *call) {
    const top_k_attributes *own = call->attributes;
    int32_t axis = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, call->inputs[0]->rank, &axis));
    call->workspace_size = (uint64_t)call->outputs[0]->shape[axis] * sizeof(ranked);
    return TN_OK;
}

static tn_status run(const tn_run_call *call) {
    const top_k_attributes *own = call->attributes;
    const tn_view *data = call->inputs[0], *values = call->outputs[0];
    ranked *items = call->workspace;
    const size_t size = TN_DTYPE_SIZE(data->dtype);
    int32_t axis = 0;
    int64_t k = 0;
    TN_TRY(tn_resolve_axis(call->host, own->axis, data->rank, &axis));
    const int64_t extent = data->shape[axis], planned = values->shape[axis];
    TN_TRY(find_k(call->host, own, run_input(call, 1), extent, &k));
    if (k != planned) {
        return tn_fail(call->host, TN_FAILED_PRECONDITION,
                       "K is %lld, but the plan was made for %lld", (long long)k,
                       (long long)planned);
    }
    const int64_t inner = tn_extent_product(data->shape, axis + 1, data->rank);
    const int64_t lines = tn_extent_product(data->shape, 0, axis) * inner;
    for (int64_t line = 0; line < lines; line++) {
        const int64_t first = line / inner * extent * inner + line % inner;
        const int64_t target = line / inner * k * inner + line % inner;
        choose(data, first, inner, extent, k, own->largest, items);
        for (int64_t i = 0; i < k; i++) {
            const int64_t from = first + items[i].place * inner, to = target + i * inner;
            copy_element((char *)tn_data(values) + (size_t)to * size,
                         (const char *)tn_data(data) + (size_t)from * size, size);
            ((int64_t *)tn_data(call->outputs[1]))[to] = items[i].place;
        }
    }
    return TN_OK;
}

const tn_kernel top_k_kernel = {CPU_KERNEL("onnx.TopK"), .prepare = prepare, .run = run};
