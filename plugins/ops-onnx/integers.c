#include "integers.h"

#include "elements.h"

tn_status integers_of(const tn_host *host, const char *what, const tn_view *view,
                      const tn_ints *attribute, integer_list *out_list) {
    const int64_t given = attribute != NULL && attribute->count > 0 ? attribute->count : 0;
    const int64_t count = view != NULL ? tn_element_count(view) : given;
    if (count > 2 * TN_MAX_RANK) {
        return tn_fail(host, TN_OUT_OF_RANGE, "%s has %lld values, expected at most %d", what,
                       (long long)count, 2 * TN_MAX_RANK);
    }
    out_list->is_known = 1;
    out_list->count = (int32_t)count;
    for (int64_t i = 0; i < count; i++) {
        out_list->values[i] =
            view != NULL ? read_integer(view->dtype, tn_data(view), i) : attribute->values[i];
    }
    return TN_OK;
}

tn_status integers_of_input(const tn_infer_call *call, const char *what, uint32_t input,
                            const tn_ints *attribute, integer_list *out_list) {
    const int is_there = input < call->input_count;
    if (is_there && call->input_values[input] == NULL &&
        (call->inputs[input].dtype != 0 || call->inputs[input].shape.rank >= 0)) {
        out_list->is_known = 0;
        out_list->count = 0;
        return TN_OK;
    }
    return integers_of(call->host, what, is_there ? call->input_values[input] : NULL, attribute,
                       out_list);
}

tn_status single_integer(const tn_host *host, const char *what, const tn_view *view,
                         int64_t *out_value) {
    if (tn_element_count(view) != 1) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "%s has %lld elements, expected one", what,
                       (long long)tn_element_count(view));
    }
    *out_value = read_integer(view->dtype, tn_data(view), 0);
    return TN_OK;
}

tn_status resolve_axes(const tn_host *host, integer_list *axes, int32_t rank) {
    uint32_t seen = 0;
    for (int32_t i = 0; i < axes->count; i++) {
        int32_t axis = 0;
        TN_TRY(tn_resolve_axis(host, axes->values[i], rank, &axis));
        if (seen >> axis & 1u) {
            return tn_fail(host, TN_INVALID_ARGUMENT, "axis %d is named twice", (int)axis);
        }
        seen |= 1u << axis;
        axes->values[i] = axis;
    }
    return TN_OK;
}

int64_t listed_count(const tn_infer_call *call, uint32_t input) {
    if (input >= call->input_count || call->inputs[input].shape.rank != 1) {
        return -1;
    }
    return call->inputs[input].shape.extents[0];
}
