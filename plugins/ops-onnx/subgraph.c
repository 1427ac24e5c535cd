#include "subgraph.h"

tn_tensor **tensors_create(const tn_host *host, uint64_t count) {
    const uint64_t size = (count > 0 ? count : 1) * sizeof(tn_tensor *);
    tn_tensor **tensors = (tn_tensor **)TN_SERVICE(host, memory)->allocate(host, size);
    if (tensors == NULL) {
        tn_set_error(host, TN_OUT_OF_MEMORY, "no memory for %llu tensors",
                     (unsigned long long)count);
        return NULL;
    }
    memset(tensors, 0, size);
    return tensors;
}

void tensors_destroy(const tn_host *host, tn_tensor **tensors, uint64_t count) {
    for (uint64_t i = 0; tensors != NULL && i < count; i++) {
        TN_SERVICE(host, tensor)->release(host, tensors[i]);
    }
    TN_SERVICE(host, memory)->free(host, tensors);
}

tn_status deliver_output(const tn_run_call *call, uint32_t output, tn_tensor *tensor) {
    const tn_view *planned = call->outputs[output];
    if (planned == NULL) {
        return call->give_output(call, output, tensor);
    }
    const tn_view *view = TN_SERVICE(call->host, tensor)->view(call->host, tensor);
    if (view->dtype != planned->dtype || view->rank != planned->rank ||
        memcmp(view->shape, planned->shape, (size_t)view->rank * sizeof(int64_t)) != 0) {
        return tn_fail(call->host, TN_INTERNAL, "output %u is not of the type that was inferred",
                       (unsigned)output);
    }
    if (tn_byte_size(view) > 0) {
        memcpy(tn_data(planned), tn_data(view), tn_byte_size(view));
    }
    return TN_OK;
}

tn_status tensor_of_view(const tn_host *host, const tn_view *view, tn_tensor **out_tensor) {
    TN_TRY(
        TN_SERVICE(host, tensor)->create(host, view->dtype, view->rank, view->shape, out_tensor));
    if (tn_byte_size(view) > 0) {
        memcpy(tn_data(TN_SERVICE(host, tensor)->view(host, *out_tensor)), tn_data(view),
               tn_byte_size(view));
    }
    return TN_OK;
}

tn_status tell_subgraph(const tn_infer_call *call, uint32_t index, uint32_t input,
                        const tn_tensor_type *type) {
    if (input >= call->subgraph_input_counts[index]) {
        return tn_fail(call->host, TN_INVALID_ARGUMENT,
                       "its graph %u has %u inputs, expected at least %u", (unsigned)index,
                       (unsigned)call->subgraph_input_counts[index], (unsigned)input + 1);
    }
    return infer_type(call->host, "an input of the graph inside",
                      &call->subgraph_inputs[index][input], type);
}

tn_tensor_type common_type(const tn_tensor_type *left, const tn_tensor_type *right) {
    tn_tensor_type type = *left;
    if (left->dtype != right->dtype) {
        type.dtype = 0;
    }
    if (left->shape.rank != right->shape.rank || left->shape.rank < 0) {
        type.shape = tn_shape_unknown();
    }
    for (int32_t axis = 0; axis < type.shape.rank; axis++) {
        if (type.shape.extents[axis] != right->shape.extents[axis]) {
            type.shape.extents[axis] = TN_UNKNOWN;
        }
    }
    return type;
}

int same_known_type(const tn_tensor_type *left, const tn_tensor_type *right) {
    return left->dtype != 0 && left->dtype == right->dtype && tn_shape_is_known(&left->shape) &&
           left->shape.rank == right->shape.rank &&
           memcmp(left->shape.extents, right->shape.extents,
                  (size_t)left->shape.rank * sizeof(int64_t)) == 0;
}

tn_status infer_type(const tn_host *host, const char *what, tn_tensor_type *known,
                     const tn_tensor_type *fact) {
    TN_TRY(tn_infer_dtype(host, what, &known->dtype, fact->dtype));
    return tn_infer_shape(host, what, &known->shape, &fact->shape);
}

tn_status read_condition(const tn_host *host, const tn_view *view, int *out_value) {
    if (view->dtype != TN_BOOL || tn_element_count(view) != 1) {
        return tn_fail(host, TN_INVALID_ARGUMENT,
                       "a condition has %lld elements of %s, expected one of bool",
                       (long long)tn_element_count(view), tn_dtype_name(view->dtype));
    }
    *out_value = *(const uint8_t *)tn_data(view) != 0;
    return TN_OK;
}
