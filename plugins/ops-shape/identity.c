/* _copy, BlockGrad and their kin: the input as it is. */
#include "operator.h"
#include "operators.h"

/* Also as it is stored. */
static tn_status identity_infer(tn_infer_call *call) {
    TN_TRY(tn_infer_elementwise(call));
    return tn_infer_storage(call->host, "output", &call->outputs[0].storage,
                            call->inputs[0].storage);
}

const tn_op identity_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_SPARSE,
    .doc = "The input as it is.",
    OP_INPUTS(data_name),
    .infer = identity_infer,
    .gradient = gradient_of_identity,
};

const tn_op block_gradient_op = {
    .struct_size = TN_OP_SIZE,
    .flags = TN_OP_SPARSE,
    .doc = "The input as it is; to gradients it is a constant.",
    OP_INPUTS(data_name),
    .infer = identity_infer,
    .gradient = gradient_none,
};

/* rhs lends its type, so that what is known of it reaches lhs. */
const tn_op identity_like_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The tensor lhs as it is; rhs must have the same shape and element type, and is not "
           "read.",
    OP_INPUTS(left_right_names),
    .infer = tn_infer_elementwise,
    .gradient = gradient_of_identity,
};
