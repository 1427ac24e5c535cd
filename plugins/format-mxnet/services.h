/* The host's services that this plugin requires: always there, by its note. */
#ifndef FORMAT_MXNET_SERVICES_H
#define FORMAT_MXNET_SERVICES_H

#include <tenon/plugin.h>

static inline const tn_graph_service *graph_service(const tn_host *host) {
    return (const tn_graph_service *)host->find_service(host, "graph", 1);
}

static inline const tn_tensor_service *tensor_service(const tn_host *host) {
    return (const tn_tensor_service *)host->find_service(host, "tensor", 1);
}

static inline const tn_sparse_service *sparse_service(const tn_host *host) {
    return (const tn_sparse_service *)host->find_service(host, "sparse", 1);
}

static inline const tn_memory_service *memory_service(const tn_host *host) {
    return (const tn_memory_service *)host->find_service(host, "memory", 1);
}

/* Room for `count` items, uninitialised; also for none at all. */
static inline tn_status allocate_items(const tn_host *host, uint64_t count, size_t item_size,
                                       void **out_memory) {
    const uint64_t items = count > 0 ? count : 1;
    void *memory = NULL;
    if (items <= UINT64_MAX / item_size) {
        memory = memory_service(host)->allocate(host, items * item_size);
    }
    if (memory == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %llu items of %zu bytes",
                       (unsigned long long)items, item_size);
    }
    *out_memory = memory;
    return TN_OK;
}

static inline void free_items(const tn_host *host, void *memory) {
    memory_service(host)->free(host, memory);
}

#endif
