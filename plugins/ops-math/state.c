#include "state.h"

#include <string.h>

static const tn_memory_service *memory_service(const tn_host *host) {
    return host->find_service(host, "memory", 1);
}

tn_status keep_state(tn_prepare_call *call, const void *state, size_t size) {
    void *kept = memory_service(call->host)->allocate(call->host, size);
    if (kept == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no %zu bytes for the kernel's state", size);
    }
    memcpy(kept, state, size);
    call->state = kept;
    return TN_OK;
}

void release_state(const tn_host *host, void *state) {
    memory_service(host)->free(host, state);
}
