/* reshape_like: the elements in the shape of another tensor, or with a range of axes taken over. */
#include "extents.h"
#include "operator.h"
#include "operators.h"

typedef struct reshape_like_attributes {
    int64_t lhs_begin;
    int64_t lhs_end;
    int64_t rhs_begin;
    int64_t rhs_end;
} reshape_like_attributes;

static const tn_attribute attribute_table[] = {
    TN_FIELD_OR_NONE(reshape_like_attributes, lhs_begin, INT, "None", NULL,
                     "The first axis of lhs to replace; None is 0."),
    TN_FIELD_OR_NONE(reshape_like_attributes, lhs_end, INT, "None", NULL,
                     "The axis of lhs after the last to replace; None is its rank."),
    TN_FIELD_OR_NONE(reshape_like_attributes, rhs_begin, INT, "None", NULL,
                     "The first axis of rhs to take over; None is 0."),
    TN_FIELD_OR_NONE(reshape_like_attributes, rhs_end, INT, "None", NULL,
                     "The axis of rhs after the last to take over; None is its rank."),
};

/* A range of axes, counted from the back when negative. */
static tn_status resolve_range(const tn_host *host, const char *what, int64_t begin, int64_t end,
                               int32_t rank, int32_t *out_begin, int32_t *out_end) {
    const int64_t first = begin == TN_NONE ? 0 : begin < 0 ? begin + rank : begin;
    const int64_t last = end == TN_NONE ? rank : end < 0 ? end + rank : end;
    if (first < 0 || last < first || last > rank) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "the axes %lld to %lld of %s are not a range within its rank %d",
                       (long long)first, (long long)last, what, (int)rank);
    }
    *out_begin = (int32_t)first;
    *out_end = (int32_t)last;
    return TN_OK;
}

static tn_status reshape_like_infer(tn_infer_call *call) {
    const reshape_like_attributes *given = call->attributes;
    tn_tensor_type *lhs = &call->inputs[0], *output = &call->outputs[0];
    const tn_shape *rhs = &call->inputs[1].shape;
    int32_t lhs_begin, lhs_end, rhs_begin, rhs_end;
    TN_TRY(tn_infer_dtype(call->host, "output", &output->dtype, lhs->dtype));
    TN_TRY(tn_infer_dtype(call->host, "lhs", &lhs->dtype, output->dtype));
    if (lhs->shape.rank < 0 || rhs->rank < 0) {
        return TN_OK;
    }
    TN_TRY(resolve_range(call->host, "lhs", given->lhs_begin, given->lhs_end, lhs->shape.rank,
                         &lhs_begin, &lhs_end));
    TN_TRY(resolve_range(call->host, "rhs", given->rhs_begin, given->rhs_end, rhs->rank, &rhs_begin,
                         &rhs_end));
    tn_shape fact = tn_shape_of(0, NULL);
    TN_TRY(extents_append_range(call->host, &fact, &lhs->shape, 0, lhs_begin));
    TN_TRY(extents_append_range(call->host, &fact, rhs, rhs_begin, rhs_end));
    TN_TRY(extents_append_range(call->host, &fact, &lhs->shape, lhs_end, lhs->shape.rank));
    TN_TRY(tn_infer_shape(call->host, "output", &output->shape, &fact));
    return infer_same_count(call->host, &lhs->shape, &output->shape);
}

const tn_op reshape_like_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The elements of lhs in the shape of rhs. With the range attributes only some axes of "
           "lhs are replaced, by some axes of rhs.",
    OP_ATTRIBUTES(attribute_table, reshape_like_attributes),
    OP_INPUTS(left_right_names),
    .infer = reshape_like_infer,
    .gradient = gradient_like_input, /* rhs only lends its shape */
};
