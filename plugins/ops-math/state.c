#include "state.h"

#include <string.h>

tn_status keep_state(tn_prepare_call *call, const void *state, size_t size) {
    void *kept = TN_SERVICE(call->host, memory)->allocate(call->host, size);
    if (kept == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "no %zu bytes for the kernel's state", size);
    }
    memcpy(kept, state, size);
    call->state = kept;
    return TN_OK;
}

void release_state(const tn_host *host, void *state) {
    TN_SERVICE(host, memory)->free(host, state);
}
