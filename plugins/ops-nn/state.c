#include "state.h"

static const tn_memory_service *memory_service(const tn_host *host) {
    return host->find_service(host, "memory", 1);
}

tn_status state_allocate(const tn_prepare_call *call, uint64_t size, void **out_state) {
    void *state = memory_service(call->host)->allocate(call->host, size);
    if (state == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "%s needs %llu bytes to prepare itself",
                       call->op, (unsigned long long)size);
    }
    *out_state = state;
    return TN_OK;
}

void state_release(const tn_host *host, void *state) {
    memory_service(host)->free(host, state);
}
