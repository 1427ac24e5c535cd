/* The "tensor" service: what plugins may do with tensors. */
#include "tensor/tensor.h"

#include "base/error.h"
#include "base/memory.h"
#include "plugin/registry.h"
#include "tensor/source.h"

static tn_status service_create(const tn_host *host, tn_dtype dtype, int32_t rank,
                                const int64_t *extents, tn_tensor **out_tensor) {
    return tn_tensor_create(tni_plugin_of(host)->runtime, dtype, rank, extents, out_tensor);
}

/* A plugin's memory under a tensor: both the memory and the function that releases it may be part
 * of the plugin, so that it must stay loaded. */
typedef struct plugin_memory {
    tni_plugin *plugin;
    void (*release)(void *context);
    void *context;
} plugin_memory;

static void release_plugin_memory(void *context) {
    plugin_memory *memory = context;
    if (memory->release != NULL) {
        memory->release(memory->context);
    }
    tni_plugin_release(memory->plugin, TNI_HOLDER_TENSOR);
    tni_free(memory);
}

static tn_status service_wrap(const tn_host *host, tn_dtype dtype, int32_t rank,
                              const int64_t *extents, void *data, void (*release)(void *context),
                              void *context, tn_tensor **out_tensor) {
    tni_plugin *plugin = tni_plugin_of(host);
    plugin_memory *memory = tni_allocate(1, sizeof *memory);
    if (memory == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    *memory = (plugin_memory){plugin, release, context};
    tn_status status = tni_plugin_acquire(plugin, TNI_HOLDER_TENSOR);
    if (status == TN_OK) {
        status = tn_tensor_wrap(plugin->runtime, dtype, rank, extents, data, release_plugin_memory,
                                memory, out_tensor);
        if (status != TN_OK) {
            tni_plugin_release(plugin, TNI_HOLDER_TENSOR);
        }
    }
    if (status != TN_OK) {
        tni_free(memory);
    }
    return status;
}

static void service_retain(const tn_host *host, tn_tensor *tensor) {
    (void)host;
    tn_tensor_retain(tensor);
}

static void service_release(const tn_host *host, tn_tensor *tensor) {
    (void)host;
    tn_tensor_release(tensor);
}

static const tn_view *service_view(const tn_host *host, const tn_tensor *tensor) {
    (void)host;
    return tn_tensor_view(tensor);
}

static tn_status service_of_bytes(const tn_host *host, tn_dtype dtype, int32_t rank,
                                  const int64_t *extents, const void *bytes,
                                  tn_tensor **out_tensor) {
    return tni_tensor_of_bytes(tni_plugin_of(host)->runtime, dtype, rank, extents, bytes,
                               out_tensor);
}

static tn_status service_map_file(const tn_host *host, int32_t descriptor, const char *path,
                                  tn_source *out_source) {
    return tni_source_open_file(tni_plugin_of(host)->runtime, descriptor, path, out_source);
}

static void service_unmap_file(const tn_host *host, tn_source *source) {
    tni_source_close(tni_plugin_of(host)->runtime, source);
}

const tn_tensor_service tni_tensor_service = {
    .struct_size = TN_STRUCT_END(tn_tensor_service, unmap_file),
    .create = service_create,
    .wrap = service_wrap,
    .retain = service_retain,
    .release = service_release,
    .view = service_view,
    .of_bytes = service_of_bytes,
    .map_file = service_map_file,
    .unmap_file = service_unmap_file,
};
