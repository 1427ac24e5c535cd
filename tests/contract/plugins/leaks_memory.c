/* Takes host memory and never gives it back. */
#include "sample.h"

static tn_status init(tn_host *host) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    host->plugin_state = memory->allocate(host, 100);
    void *second = memory->allocate(host, 28);
    memory->free(host, second);
    memory->free(host, NULL);
    const uintptr_t address = (uintptr_t)host->plugin_state;
    if (address % 64 != 0 || memory->allocate(host, 0) != NULL ||
        memory->allocate(host, UINT64_MAX) != NULL) {
        return TN_INTERNAL;
    }
    return TN_OK;
}

static const tn_entry entries[] = {TN_ENTRY_OP("leaks_memory", &sample_op)};
TN_PLUGIN_WITH("leaks_memory", "1.0", "memory/1", "", init, NULL, entries);
