#include "integer_state.h"

tn_status integer_state_allocate(const tn_host *host, size_t size, int64_t packed,
                                 void **out_state) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    *out_state = memory->allocate(host, size + (uint64_t)packed * sizeof(int16_t));
    if (*out_state == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %lld packed weights",
                       (long long)packed);
    }
    return TN_OK;
}

void integer_state_release(const tn_host *host, void *state) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    memory->free(host, state);
}
