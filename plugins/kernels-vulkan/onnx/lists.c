#include "lists.h"

int64_t listed_integer(const tn_view *view, int64_t index) {
    return view->dtype == TN_I64 ? ((const int64_t *)tn_data(view))[index]
                                 : ((const int32_t *)tn_data(view))[index];
}

static known_list list_of(const tn_view *view, int is_there, const tn_ints *attribute) {
    known_list list = {.is_known = 1};
    if (is_there) {
        const int64_t count = view == NULL ? 0 : tn_element_count(view);
        list.is_known = view != NULL && count <= LIST_CAPACITY &&
                        (view->dtype == TN_I64 || view->dtype == TN_I32);
        for (int64_t i = 0; list.is_known && i < count; i++) {
            list.values[list.count++] = listed_integer(view, i);
        }
    } else if (attribute != NULL) {
        list.is_known = attribute->count <= LIST_CAPACITY;
        for (int64_t i = 0; list.is_known && i < attribute->count; i++) {
            list.values[list.count++] = attribute->values[i];
        }
    }
    return list;
}

known_list list_in_query(const tn_kernel_query *query, uint32_t input, const tn_ints *attribute) {
    const int is_there = input < query->input_count && query->inputs[input].dtype != 0;
    return list_of(is_there ? query->input_values[input] : NULL, is_there, attribute);
}

known_list list_in_call(const tn_prepare_call *call, uint32_t input, const tn_ints *attribute) {
    const int is_there = input < call->input_count && call->inputs[input] != NULL;
    return list_of(is_there ? call->input_values[input] : NULL, is_there, attribute);
}

int32_t is_known_or_absent(const tn_kernel_query *query, uint32_t input) {
    return input >= query->input_count || query->inputs[input].dtype == 0 ||
           query->input_values[input] != NULL;
}
