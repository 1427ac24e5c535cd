/* The operator Attention. */
#include "attention.h"

#include "families.h"
#include "operator.h"
#include "shapes.h"

static const tn_attribute table[] = {
    TN_FIELD_OR_NONE(attention_attributes, scale, FLOAT, "None", NULL,
                     "The factor of the scores; None: 1 / sqrt(size of a head)."),
    TN_FIELD(attention_attributes, softcap, FLOAT, "0", NULL,
             "Keeps scores within this by a tanh; 0: does not."),
    TN_FIELD(attention_attributes, q_num_heads, INT, "0", "[0,2147483647]",
             "The heads of Q when it has three axes."),
    TN_FIELD(attention_attributes, kv_num_heads, INT, "0", "[0,2147483647]",
             "The heads of K and V when they have three axes."),
    TN_FIELD(attention_attributes, qk_matmul_output_mode, INT, "0", "[0,3]",
             "What the last output shows: the scores (0), after the cap (1), with the mask (2), or "
             "after the softmax (3)."),
    TN_FIELD_OR_NONE(attention_attributes, softmax_precision, DTYPE, "None", NULL,
                     "Accepted for compatibility: all is computed in float64."),
    TN_FIELD(attention_attributes, is_causal, BOOL, "False", NULL,
             "Whether a query sees no key behind its own place."),
};

static const char *const input_names[] = {
    "Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen"};
static const char *const output_names[] = {"Y", "present_key", "present_value", "qk_matmul_output"};
static const uint32_t optional[] = {MASK, PAST_KEY, PAST_VALUE, KEY_LENGTHS};

static tn_status infer_cache(tn_infer_call *call, const head_layout *layout, uint32_t past,
                             uint32_t present, int64_t *out_steps) {
    const tn_shape *before = &call->inputs[past].shape;
    const int has_past = before->rank >= 0 || call->inputs[past].dtype != 0;
    tn_shape shape = tn_shape_of_rank(4);
    shape.extents[0] = layout->batch;
    shape.extents[1] = layout->heads;
    shape.extents[3] = layout->size;
    if (has_past) {
        TN_TRY(tn_infer_shape(call->host, "a cache", &call->inputs[past].shape, &shape));
    }
    const int64_t old = has_past ? before->extents[2] : 0;
    *out_steps = old < 0 || layout->steps < 0 ? TN_UNKNOWN : old + layout->steps;
    shape.extents[2] = *out_steps;
    return tn_infer_shape(call->host, "a cache", &call->outputs[present].shape, &shape);
}

static tn_status infer_result(tn_infer_call *call, const head_layout *query,
                              const head_layout *value) {
    tn_shape result = call->inputs[QUERY].shape;
    const int32_t last = result.rank - 1;
    result.extents[last] = value->size;
    if (query->is_flat && value->size >= 0) {
        TN_TRY(multiply_extents(call->host, query->heads, value->size, &result.extents[last]));
    }
    return tn_infer_shape(call->host, "Y", &call->outputs[RESULT].shape, &result);
}

static tn_status infer(tn_infer_call *call) {
    const attention_attributes *own = call->attributes;
    static const uint32_t dtype_inputs[] = {QUERY, KEY, VALUE, QUERY};
    head_layout query, key, value;
    int64_t steps = 0;
    for (uint32_t i = RESULT; i <= SCORES; i++) {
        TN_TRY(tn_infer_dtype(call->host, "an output", &call->outputs[i].dtype,
                              call->inputs[dtype_inputs[i]].dtype));
    }
    const tn_shape *shapes[] = {&call->inputs[QUERY].shape, &call->inputs[KEY].shape,
                                &call->inputs[VALUE].shape};
    if (shapes[0]->rank < 0 || shapes[1]->rank < 0 || shapes[2]->rank < 0) {
        return TN_OK;
    }
    TN_TRY(
        head_layout_of(call->host, shapes[0]->rank, shapes[0]->extents, own->q_num_heads, &query));
    TN_TRY(
        head_layout_of(call->host, shapes[1]->rank, shapes[1]->extents, own->kv_num_heads, &key));
    TN_TRY(
        head_layout_of(call->host, shapes[2]->rank, shapes[2]->extents, own->kv_num_heads, &value));
    TN_TRY(infer_same_extent(call->host, "batches of Q and K", &query.batch, &key.batch));
    TN_TRY(infer_same_extent(call->host, "batches of K and V", &key.batch, &value.batch));
    TN_TRY(infer_same_extent(call->host, "heads of K and V", &key.heads, &value.heads));
    TN_TRY(infer_same_extent(call->host, "sizes of heads of Q and K", &query.size, &key.size));
    TN_TRY(infer_same_extent(call->host, "steps of K and V", &key.steps, &value.steps));
    if (key.heads == 0 || (query.heads > 0 && key.heads > 0 && query.heads % key.heads != 0)) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "%lld heads of Q do not share %lld heads of K", (long long)query.heads,
                       (long long)key.heads);
    }
    TN_TRY(infer_cache(call, &key, PAST_KEY, PRESENT_KEY, &steps));
    TN_TRY(infer_cache(call, &value, PAST_VALUE, PRESENT_VALUE, &steps));
    TN_TRY(infer_result(call, &query, &value));
    const int64_t extents[] = {query.batch, query.heads, query.steps, steps};
    const tn_shape scores = tn_shape_of(4, extents);
    return tn_infer_shape(call->host, "qk_matmul_output", &call->outputs[SCORES].shape, &scores);
}

const tn_op attention_op = {
    .struct_size = TN_OP_SIZE,
    .doc =
        "Scaled dot-product attention: for each query the values, weighted by the softmax of the "
        "products of the query with the keys. Heads of Q share those of K and V; keys and "
        "values go behind those of a cache.",
    OP_ATTRIBUTES(table, attention_attributes),
    OP_INPUTS(input_names),
    OP_OUTPUTS(output_names),
    OP_OPTIONAL(optional),
    .infer = infer,
};
