/* What operators and kernels there are. */
#include <string.h>

#include "base/error.h"
#include "graph/graph.h"

uint32_t tn_op_count(const tn_runtime *runtime) {
    return tni_registry_count(runtime, TN_KIND_OP);
}

const char *tn_op_name(const tn_runtime *runtime, uint32_t index) {
    const tni_entry *entry = tni_registry_get(runtime, TN_KIND_OP, index);
    return entry == NULL ? NULL : entry->entry->name;
}

const tn_op *tn_op_find(const tn_runtime *runtime, const char *name, const char **out_plugin) {
    const tni_entry *entry = tni_registry_find(runtime, TN_KIND_OP, name);
    if (entry == NULL) {
        return NULL;
    }
    if (out_plugin != NULL) {
        *out_plugin = entry->plugin->name;
    }
    return entry->entry->impl;
}

uint32_t tn_op_kernel_count(const tn_runtime *runtime, const char *op) {
    uint32_t all, count = 0;
    const tni_entry *const *kernels = tni_registry_kernels(runtime, op, &all);
    for (uint32_t i = 0; i < all; i++) {
        count += tni_entry_make_ready(kernels[i]) ? 1 : 0;
    }
    return count;
}

tn_status tn_op_kernel(const tn_runtime *runtime, const char *op, uint32_t index,
                       const char **out_name, const tn_kernel **out_kernel) {
    uint32_t count;
    const tni_entry *const *kernels = tni_registry_kernels(runtime, op, &count);
    if (index >= count) {
        return tni_fail(TN_OUT_OF_RANGE, "operator %s has %u kernels: there is no number %u", op,
                        count, index);
    }
    *out_name = kernels[index]->entry->name;
    *out_kernel = kernels[index]->entry->impl;
    return TN_OK;
}
