/*
 * Integers that an operator is told, by an attribute or by a tensor: axes, extents, repeats. Newer
 * forms of ONNX operators take as an input what older ones have as an attribute.
 */
#ifndef OPS_ONNX_INTEGERS_H
#define OPS_ONNX_INTEGERS_H

#include <tenon/plugin.h>

typedef struct integer_list {
    int32_t is_known; /* 0: the tensor's elements are not known yet */
    int32_t count;
    int64_t values[2 * TN_MAX_RANK];
} integer_list;

/* From the tensor where there is one (`view` not NULL), else from the attribute, of which None is
 * no values. More values than the list has room for fail. */
tn_status integers_of(const tn_host *host, const char *what, const tn_view *view,
                      const tn_ints *attribute, integer_list *out_list);

/* The same while inferring, where an input that is connected may have no value yet. An input is
 * connected when its type says anything; `input` beyond the node's inputs is not. */
tn_status integers_of_input(const tn_infer_call *call, const char *what, uint32_t input,
                            const tn_ints *attribute, integer_list *out_list);

/* A view of a run's input, NULL when it is absent. */
TN_INLINE_ const tn_view *run_input(const tn_run_call *call, uint32_t input) {
    return input < call->input_count ? call->inputs[input] : NULL;
}

/* The only element of a tensor; fails when it does not have just one. */
tn_status single_integer(const tn_host *host, const char *what, const tn_view *view,
                         int64_t *out_value);

/* Axes among `rank`, negative ones counted from the last; none twice. */
tn_status resolve_axes(const tn_host *host, integer_list *axes, int32_t rank);

/* The number of elements of the tensor that lists something: known from its shape. -1: not. */
int64_t listed_count(const tn_infer_call *call, uint32_t input);

#endif
