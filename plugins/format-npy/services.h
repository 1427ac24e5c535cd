/* The host's services that this plugin requires: always there, by its note. */
#ifndef FORMAT_NPY_SERVICES_H
#define FORMAT_NPY_SERVICES_H

#include <tenon/plugin.h>

static inline const tn_tensor_service *tensor_service(const tn_host *host) {
    return (const tn_tensor_service *)host->find_service(host, "tensor", 1);
}

static inline const tn_sparse_service *sparse_service(const tn_host *host) {
    return (const tn_sparse_service *)host->find_service(host, "sparse", 1);
}

static inline const tn_memory_service *memory_service(const tn_host *host) {
    return (const tn_memory_service *)host->find_service(host, "memory", 1);
}

#endif
