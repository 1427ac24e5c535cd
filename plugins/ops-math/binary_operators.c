#include "binary_operators.h"

#include "gradients.h"
#include "storage.h"

static const char *const input_names[] = {"lhs", "rhs"};
static const char *const output_names[] = {"output"};

/* The extent that takes part in `axis` of the output: shapes are aligned at their last axis, and
 * missing axes count as 1. */
static int64_t aligned_extent(const tn_shape *shape, int32_t rank, int32_t axis) {
    const int32_t own = axis - (rank - shape->rank);
    return own >= 0 ? shape->extents[own] : 1;
}

/* What two extents that are equal, 1 or unknown are stretched to. */
static int64_t stretched_extent(int64_t left, int64_t right) {
    if (left == 1) {
        return right;
    }
    if (right == 1) {
        return left;
    }
    return left >= 0 ? left : right;
}

static tn_status broadcast_extents(const tn_host *host, const tn_shape *left, const tn_shape *right,
                                   tn_shape *out) {
    for (int32_t axis = 0; axis < out->rank; axis++) {
        const int64_t l = aligned_extent(left, out->rank, axis);
        const int64_t r = aligned_extent(right, out->rank, axis);
        if (l >= 0 && r >= 0 && l != r && l != 1 && r != 1) {
            char left_text[256], right_text[256];
            return tn_fail(host, TN_INVALID_ARGUMENT,
                           "lhs has shape %s and rhs has shape %s, which cannot be stretched to "
                           "one shape: %lld and %lld differ and neither is 1",
                           tn_shape_text(left, left_text, sizeof left_text),
                           tn_shape_text(right, right_text, sizeof right_text), (long long)l,
                           (long long)r);
        }
        out->extents[axis] = stretched_extent(l, r);
    }
    return TN_OK;
}

/* Back from the output: an extent is the output's where that is 1, or where the other side's is 1
 * and was stretched. */
static void infer_operand(tn_shape *own, const tn_shape *other, const tn_shape *output) {
    const int32_t missing = output->rank - own->rank;
    for (int32_t axis = missing; axis < output->rank; axis++) {
        const int64_t stretched = output->extents[axis];
        int64_t *extent = &own->extents[axis - missing];
        if (*extent < 0 && (stretched == 1 || aligned_extent(other, output->rank, axis) == 1)) {
            *extent = stretched;
        }
    }
}

tn_status infer_broadcast_shape(tn_infer_call *call) {
    tn_shape *left = &call->inputs[0].shape;
    tn_shape *right = &call->inputs[1].shape;
    tn_shape *output = &call->outputs[0].shape;
    if (left->rank < 0 || right->rank < 0) {
        return TN_OK;
    }
    tn_shape stretched = tn_shape_of_rank(left->rank > right->rank ? left->rank : right->rank);
    TN_TRY(broadcast_extents(call->host, left, right, &stretched));
    TN_TRY(tn_infer_shape(call->host, "output", output, &stretched));
    infer_operand(left, right, output);
    infer_operand(right, left, output);
    return TN_OK;
}

static tn_status infer_broadcast(tn_infer_call *call) {
    TN_TRY(tn_infer_one_dtype(call));
    return infer_broadcast_shape(call);
}
#define DEFINE_INFER_ELEMENTWISE(FUNCTION, GRADIENT, DOC)                                          \
    static tn_status infer_elementwise_##FUNCTION(tn_infer_call *call) {                           \
        TN_TRY(tn_infer_elementwise(call));                                                        \
        return infer_binary_storage(call, BINARY_##FUNCTION);                                      \
    }
BINARY_OPERATORS(DEFINE_INFER_ELEMENTWISE)

const tn_op elementwise_operators[BINARY_FUNCTION_COUNT] = {
#define ELEMENTWISE_OPERATOR(FUNCTION, GRADIENT, DOC)                                              \
    [BINARY_##FUNCTION] = {                                                                        \
        .struct_size = TN_OP_SIZE,                                                                 \
        .flags = TN_OP_SPARSE,                                                                     \
        .doc = "Element by element, for tensors of one shape and dtype: " DOC ".",                 \
        .input_names = input_names,                                                                \
        .output_names = output_names,                                                              \
        .input_name_count = 2,                                                                     \
        .output_name_count = 1,                                                                    \
        .infer = infer_elementwise_##FUNCTION,                                                     \
        .gradient = GRADIENT,                                                                      \
    },
    BINARY_OPERATORS(ELEMENTWISE_OPERATOR)};

const tn_op broadcast_operators[BINARY_FUNCTION_COUNT] = {
#define BROADCAST_OPERATOR(FUNCTION, GRADIENT, DOC)                                                \
    [BINARY_##FUNCTION] = {                                                                        \
        .struct_size = TN_OP_SIZE,                                                                 \
        .doc = "Element by element: " DOC ". Shapes are aligned at their last axis; extents of 1 " \
               "and missing axes are stretched to the other tensor's.",                            \
        .input_names = input_names,                                                                \
        .output_names = output_names,                                                              \
        .input_name_count = 2,                                                                     \
        .output_name_count = 1,                                                                    \
        .infer = infer_broadcast,                                                                  \
    },
    BINARY_OPERATORS(BROADCAST_OPERATOR)};
