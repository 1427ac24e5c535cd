/* _copy, BlockGrad and their kin: the input as it is. */
#include "operator.h"
#include "operators.h"

const tn_op identity_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input as it is.",
    OP_INPUTS(data_name),
    .infer = tn_infer_elementwise,
    .gradient = gradient_of_identity,
};

const tn_op block_gradient_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input as it is; to gradients it is a constant.",
    OP_INPUTS(data_name),
    .infer = tn_infer_elementwise,
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
