/* What operators on sequences share. */
#ifndef OPS_ONNX_SEQUENCE_H
#define OPS_ONNX_SEQUENCE_H

#include <tenon/plugin.h>

/* Output `output` is a sequence, of any length. */
tn_status infer_sequence(tn_infer_call *call, uint32_t output);

/* The tensors of an input that must be a sequence, in a list that is freed by the memory service;
 * there is room for one more. */
tn_status sequence_open(const tn_run_call *call, uint32_t input, tn_view **out_items,
                        int64_t *out_count);

/* Makes an output a sequence of these tensors. */
tn_status sequence_deliver(const tn_run_call *call, uint32_t output, const tn_view *items,
                           int64_t count);

/* Makes output 0 a copy of a tensor. */
tn_status deliver_view(const tn_run_call *call, const tn_view *view);

/* A position before `end` in a sequence of `count` tensors, negative from its end; `absent` where
 * the node has no such input. */
tn_status sequence_position(const tn_run_call *call, uint32_t input, int64_t count, int64_t end,
                            int64_t absent, int64_t *out_position);

#endif
