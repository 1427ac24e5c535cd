#include "state.h"

tn_status state_allocate(const tn_prepare_call *call, uint64_t size, void **out_state) {
    void *state = TN_SERVICE(call->host, memory)->allocate(call->host, size);
    if (state == NULL) {
        return tn_fail(call->host, TN_OUT_OF_MEMORY, "%s needs %llu bytes to prepare itself",
                       call->op, (unsigned long long)size);
    }
    *out_state = state;
    return TN_OK;
}

void state_release(const tn_host *host, void *state) {
    TN_SERVICE(host, memory)->free(host, state);
}
