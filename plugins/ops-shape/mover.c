#include "mover.h"

#include "fill.h"

tn_status move_list_create(tn_prepare_call *call, uint32_t count, move_list **out_list) {
    const tn_memory_service *memory = TN_SERVICE(call->host, memory);
    const uint64_t size = sizeof(move_list) + (uint64_t)count * sizeof(move);
    move_list *list = memory->allocate(call->host, size);
    if (list == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no memory for the plan of %u copies",
                       (unsigned)count);
    }
    list->count = count;
    list->fill_size = 0;
    for (uint32_t i = 0; i < count; i++) {
        list->moves[i].input = 0;
        list->moves[i].output = 0;
        strided_copy_begin(&list->moves[i].copy, TN_DTYPE_SIZE(call->outputs[0]->dtype));
    }
    call->state = list;
    *out_list = list;
    return TN_OK;
}

tn_status move_list_run(const tn_run_call *call) {
    const move_list *list = call->state;
    if (list->fill_size > 0) {
        fill_elements(call->host, tn_data(call->outputs[0]), tn_element_count(call->outputs[0]),
                      list->fill, list->fill_size);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const move *item = &list->moves[i];
        void *target = tn_data(call->outputs[item->output]);
        const void *source =
            item->input == MOVE_WITHIN_OUTPUT ? target : tn_data(call->inputs[item->input]);
        strided_copy_run(call->host, &item->copy, source, target);
    }
    return TN_OK;
}

void move_list_release(const tn_host *host, void *state) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    memory->free(host, state);
}

tn_status copy_input_run(const tn_run_call *call) {
    const void *source = tn_data(call->inputs[0]);
    void *target = tn_data(call->outputs[0]);
    if (source != target) {
        copy_bytes(call->host, target, source, (int64_t)tn_byte_size(call->inputs[0]));
    }
    return TN_OK;
}

void view_strides(const tn_view *view, int64_t strides[TN_MAX_RANK]) {
    int64_t stride = 1;
    if (view->strides != NULL) {
        memcpy(strides, view->strides, (size_t)view->rank * sizeof *strides);
        return;
    }
    for (int32_t axis = view->rank - 1; axis >= 0; axis--) {
        strides[axis] = stride;
        stride *= view->shape[axis];
    }
}
