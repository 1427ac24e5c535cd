#include "given_output.h"

#include "shapes.h"

tn_status open_output(const tn_run_call *call, uint32_t output, tn_dtype dtype,
                      const tn_shape *shape, const tn_view **out_view) {
    const tn_tensor_service *tensors = TN_SERVICE(call->host, tensor);
    tn_tensor *tensor;
    if (call->outputs[output] != NULL) {
        *out_view = call->outputs[output];
        return check_planned_shape(call->host, call->outputs[output], shape);
    }
    TN_TRY(tensors->create(call->host, dtype, shape->rank, shape->extents, &tensor));
    *out_view = tensors->view(call->host, tensor);
    const tn_status status = call->give_output(call, output, tensor);
    tensors->release(call->host, tensor);
    return status;
}
