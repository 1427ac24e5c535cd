/* FullyConnected, dot and batch_dot. */
#include "entries_dense.h"
#include "product.h"

static const program_binding none = {0, 0, 0, 0};

static int32_t supports_fully_connected(const tn_kernel_query *query) {
    return supports_sizes(query) && query->inputs[1].shape.extents[1] <= PRODUCT_MAX_TERMS;
}

static tn_status prepare_fully_connected(tn_prepare_call *call) {
    const tn_view *weight = call->inputs[1];
    const tn_view *output = call->outputs[0];
    const int64_t features = weight->shape[1];
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_product(program,
                &(matrix_product){.dtype = weight->dtype,
                                  .left = bind_input(call, 0),
                                  .right = bind_input(call, 1),
                                  .bias = bind_input_or(call, 2, none),
                                  .result = bind_output(call, 0),
                                  .rows = tn_extent_product(output->shape, 0, output->rank - 1),
                                  .columns = weight->shape[0],
                                  .terms = features,
                                  .batches = 1,
                                  .left_stride = features,
                                  .left_term_stride = 1,
                                  .right_stride = features,
                                  .right_term_stride = 1});
    return program_finish(program, call);
}

const tn_kernel fully_connected_kernel = {
    SPIRV_KERNEL("FullyConnected", supports_fully_connected, prepare_fully_connected),
    FLOAT_DTYPES,
};

typedef struct dot_attributes {
    int32_t transpose_a;
    int32_t transpose_b;
} dot_attributes;

static const tn_attribute dot_fields[] = {
    TN_FIELD(dot_attributes, transpose_a, BOOL, "False", NULL, "Sums over lhs's first axis."),
    TN_FIELD(dot_attributes, transpose_b, BOOL, "False", NULL, "Sums over rhs's last axis."),
};

/* One operand's matrices, after `batch_rank` axes: their terms are along the first axis or along
 * the last. */
typedef struct dot_operand {
    int64_t count; /* rows, or columns */
    int64_t terms;
    int64_t stride;
    int64_t term_stride;
} dot_operand;

static dot_operand operand_of(const int64_t *extents, int32_t rank, int32_t batch_rank,
                              int terms_are_first) {
    if (terms_are_first) {
        const int64_t count = tn_extent_product(extents, batch_rank + 1, rank);
        return (dot_operand){count, extents[batch_rank], 1, count};
    }
    const int64_t terms = extents[rank - 1];
    return (dot_operand){tn_extent_product(extents, batch_rank, rank - 1), terms, terms, 1};
}

static int32_t supports_dot(const tn_kernel_query *query) {
    const dot_attributes *given = query->attributes;
    const tn_shape *left = &query->inputs[0].shape;
    const int32_t batch_rank = strcmp(query->op, "dot") == 0 ? 0 : left->rank - 2;
    return supports_sizes(query) &&
           operand_of(left->extents, left->rank, batch_rank, given->transpose_a).terms <=
               PRODUCT_MAX_TERMS;
}

static tn_status prepare_product(tn_prepare_call *call, int32_t batch_rank) {
    const dot_attributes *given = call->attributes;
    const tn_view *lhs = call->inputs[0];
    const tn_view *rhs = call->inputs[1];
    const dot_operand left = operand_of(lhs->shape, lhs->rank, batch_rank, given->transpose_a);
    const dot_operand right = operand_of(rhs->shape, rhs->rank, batch_rank, !given->transpose_b);
    device_program *program;
    TN_TRY(program_create(call, &program));
    add_product(program, &(matrix_product){.dtype = lhs->dtype,
                                           .left = bind_input(call, 0),
                                           .right = bind_input(call, 1),
                                           .result = bind_output(call, 0),
                                           .rows = left.count,
                                           .columns = right.count,
                                           .terms = left.terms,
                                           .batches = tn_extent_product(lhs->shape, 0, batch_rank),
                                           .left_stride = left.stride,
                                           .left_term_stride = left.term_stride,
                                           .right_stride = right.stride,
                                           .right_term_stride = right.term_stride,
                                           .left_batch_stride = left.count * left.terms,
                                           .right_batch_stride = right.count * right.terms});
    return program_finish(program, call);
}

static tn_status prepare_dot(tn_prepare_call *call) {
    return prepare_product(call, 0);
}

static tn_status prepare_batch_dot(tn_prepare_call *call) {
    return prepare_product(call, call->inputs[0]->rank - 2);
}

#define DOT_KERNEL(NAME, PREPARE)                                                                  \
    {                                                                                              \
        SPIRV_KERNEL(NAME, supports_dot, PREPARE), FLOAT_DTYPES,                                   \
            KERNEL_ATTRIBUTES(dot_fields, dot_attributes)                                          \
    }

const tn_kernel dot_kernel = DOT_KERNEL("dot", prepare_dot);
const tn_kernel batch_dot_kernel = DOT_KERNEL("batch_dot", prepare_batch_dot);
