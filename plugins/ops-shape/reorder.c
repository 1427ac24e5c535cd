/* reorder: the same tensor in another layout. */
#include "mover.h"
#include "operator.h"
#include "operators.h"

tn_status reorder_prepare(tn_prepare_call *call) {
    const tn_view *data = call->inputs[0], *output = call->outputs[0];
    int64_t source[TN_MAX_RANK], target[TN_MAX_RANK];
    move_list *list = NULL;
    TN_TRY(move_list_create(call, 1, &list));
    view_strides(data, source);
    view_strides(output, target);
    strided_copy *copy = &list->moves[0].copy;
    for (int32_t axis = 0; axis < output->rank; axis++) {
        strided_copy_add_axis(copy, output->shape[axis], source[axis], target[axis]);
    }
    strided_copy_finish(copy);
    return TN_OK;
}

const tn_op reorder_op = {
    .struct_size = TN_OP_SIZE,
    .doc = "The input as it is, in another layout in memory. The host puts it where a kernel wants "
           "a layout that its input does not have; as a node of a graph it is a copy.",
    OP_INPUTS(data_name),
    .infer = tn_infer_elementwise,
    .gradient = gradient_of_identity,
};
