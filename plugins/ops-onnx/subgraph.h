/* What operators that hold graphs share. */
#ifndef OPS_ONNX_SUBGRAPH_H
#define OPS_ONNX_SUBGRAPH_H

#include <tenon/plugin.h>

/* A list of tensors that are counted for it; zeroed. NULL: out of memory. */
tn_tensor **tensors_create(const tn_host *host, uint64_t count);
/* Releases those that are there, and the list. NULL is allowed. */
void tensors_destroy(const tn_host *host, tn_tensor **tensors, uint64_t count);

/* The node's output is this tensor: given to the host, or copied to where that wants it. */
tn_status deliver_output(const tn_run_call *call, uint32_t output, tn_tensor *tensor);

/* A tensor with the elements of a view. */
tn_status tensor_of_view(const tn_host *host, const tn_view *view, tn_tensor **out_tensor);

/* In infer: tells the graph `index` its input `input`. */
tn_status tell_subgraph(const tn_infer_call *call, uint32_t index, uint32_t input,
                        const tn_tensor_type *type);

/* What two types have in common: of ranks that differ nothing, of extents that differ neither. */
tn_tensor_type common_type(const tn_tensor_type *left, const tn_tensor_type *right);

/* Whether all of a type is known, and the other is the same. */
int same_known_type(const tn_tensor_type *left, const tn_tensor_type *right);

tn_status infer_type(const tn_host *host, const char *what, tn_tensor_type *known,
                     const tn_tensor_type *fact);

/* A truth of one element. */
tn_status read_condition(const tn_host *host, const tn_view *view, int *out_value);

#endif
