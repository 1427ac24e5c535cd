/* Attributes, inputs and outputs of Attention. */
#ifndef OPS_ONNX_ATTENTION_H
#define OPS_ONNX_ATTENTION_H

#include "head_layout.h"

typedef struct attention_attributes {
    double scale; /* NaN: not given */
    double softcap;
    int64_t q_num_heads;
    int64_t kv_num_heads;
    int64_t qk_matmul_output_mode;
    tn_dtype softmax_precision;
    int32_t is_causal;
} attention_attributes;

enum { QUERY, KEY, VALUE, MASK, PAST_KEY, PAST_VALUE, KEY_LENGTHS, ATTENTION_INPUTS };
enum { RESULT, PRESENT_KEY, PRESENT_VALUE, SCORES };
/* What the output of scores shows. */
enum { SCORES_RAW, SCORES_CAPPED, SCORES_MASKED, SCORES_SOFTMAX };

#endif
