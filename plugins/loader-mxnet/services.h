/* The host's services that this plugin uses. */
#ifndef LOADER_MXNET_SERVICES_H
#define LOADER_MXNET_SERVICES_H

#include <tenon/plugin.h>

static inline const tn_memory_service *memory_service(const tn_host *host) {
    return (const tn_memory_service *)host->find_service(host, "memory", 1);
}

static inline const tn_graph_service *graph_service(const tn_host *host) {
    return (const tn_graph_service *)host->find_service(host, "graph", 1);
}

static inline const tn_sparse_service *sparse_service(const tn_host *host) {
    return (const tn_sparse_service *)host->find_service(host, "sparse", 1);
}

static inline const tn_tensor_service *tensor_service(const tn_host *host) {
    return (const tn_tensor_service *)host->find_service(host, "tensor", 1);
}

#endif
