/* The "dispatch" service: device code for kernels, with modules shared by their content. */
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "device/device_table.h"

/* Code that a device has taken; in the device's list as long as a kernel is made of it. */
typedef struct tni_device_module {
    struct tni_device_module *next;
    uint32_t references; /* guarded by the device's lock */
    uint64_t hash;
    uint64_t size;
    void *code;   /* a copy, to compare with */
    void *module; /* the backend's */
} tni_device_module;

struct tn_device_kernel {
    tn_device *device; /* kept open */
    tni_device_module *module;
    void *kernel; /* the backend's */
};

static tn_status require_code(const tn_device *device) {
    if (device == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "the device is NULL: prepare is given it");
    }
    if (device->backend->create_kernel == NULL) {
        return tni_fail(TN_UNSUPPORTED, "device %s runs no device code, only %s", device->name,
                        device->targets);
    }
    return TN_OK;
}

static tn_status service_limits(const tn_host *host, tn_device *device,
                                tn_device_limits *out_limits) {
    (void)host;
    TNI_TRY(require_code(device));
    return tn_device_get_limits(device, out_limits);
}

/* One more reference on the module with this code, or NULL. Under the device's lock. */
static tni_device_module *find_module(const tn_device *device, uint64_t hash, const void *code,
                                      uint64_t size) {
    for (tni_device_module *module = device->modules; module != NULL; module = module->next) {
        if (module->hash == hash && module->size == size && memcmp(module->code, code, size) == 0) {
            module->references++;
            return module;
        }
    }
    return NULL;
}

static void free_module(const tn_device *device, tni_device_module *module) {
    if (module->module != NULL) {
        device->backend->destroy_module(device->device, module->module);
    }
    tni_free(module->code);
    tni_free(module);
}

static tn_status make_module(const tn_device *device, uint64_t hash, const void *code,
                             uint64_t size, tni_device_module **out_module) {
    tni_device_module *module = tni_allocate(1, sizeof *module);
    if (module == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    *module = (tni_device_module){.references = 1, .hash = hash, .size = size};
    module->code = tni_allocate(1, size);
    tn_status status = module->code != NULL ? TN_OK : TN_OUT_OF_MEMORY;
    if (status == TN_OK) {
        memcpy(module->code, code, size);
        tni_error_clear();
        status = tni_plugin_status(
            device->backend->create_module(device->device, code, size, &module->module));
    }
    if (status != TN_OK) {
        module->module = NULL;
        free_module(device, module);
        return status;
    }
    *out_module = module;
    return TN_OK;
}

static tn_status acquire_module(tn_device *device, const void *code, uint64_t size,
                                tni_device_module **out_module) {
    const uint64_t hash = tni_hash(code, size, 0);
    pthread_mutex_lock(&device->lock);
    tni_device_module *found = find_module(device, hash, code, size);
    pthread_mutex_unlock(&device->lock);
    if (found == NULL) {
        tni_device_module *made; /* without the lock: the backend compiles */
        TNI_TRY(make_module(device, hash, code, size, &made));
        pthread_mutex_lock(&device->lock);
        found = find_module(device, hash, code, size);
        if (found == NULL) {
            made->next = device->modules;
            device->modules = made;
        }
        pthread_mutex_unlock(&device->lock);
        if (found != NULL) { /* another thread was faster */
            free_module(device, made);
        } else {
            found = made;
        }
    }
    *out_module = found;
    return TN_OK;
}

static void release_module(tn_device *device, tni_device_module *module) {
    pthread_mutex_lock(&device->lock);
    const bool is_last = --module->references == 0;
    for (tni_device_module **place = &device->modules; is_last && *place != NULL;
         place = &(*place)->next) {
        if (*place == module) {
            *place = module->next;
            break;
        }
    }
    pthread_mutex_unlock(&device->lock);
    if (is_last) {
        free_module(device, module);
    }
}

void tni_device_end_modules(tn_device *device) {
    while (device->modules != NULL) {
        tni_device_module *next = device->modules->next;
        free_module(device, device->modules);
        device->modules = next;
    }
}

static tn_status make_kernel(tn_device *device, const void *code, uint64_t size,
                             const tn_device_kernel_desc *desc, tn_device_kernel *kernel) {
    TNI_TRY(acquire_module(device, code, size, &kernel->module));
    tni_error_clear();
    const tn_status status = tni_plugin_status(device->backend->create_kernel(
        device->device, kernel->module->module, desc, &kernel->kernel));
    if (status != TN_OK) {
        release_module(device, kernel->module);
    }
    return status;
}

static tn_status service_create_kernel(const tn_host *host, tn_device *device, const void *code,
                                       uint64_t code_size, const tn_device_kernel_desc *desc,
                                       tn_device_kernel **out_kernel) {
    (void)host;
    TNI_TRY(require_code(device));
    if (code == NULL || code_size == 0 || desc == NULL ||
        desc->struct_size < TN_DEVICE_KERNEL_DESC_SIZE) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "create_kernel: expected code and a description whose struct_size is "
                        "TN_DEVICE_KERNEL_DESC_SIZE");
    }
    tn_device_kernel *kernel = tni_allocate(1, sizeof *kernel);
    if (kernel == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    const tn_status status = make_kernel(device, code, code_size, desc, kernel);
    if (status != TN_OK) {
        tni_free(kernel);
        return tni_in(status, "device %s: kernel '%s'", device->name,
                      desc->entry_point != NULL ? desc->entry_point : "");
    }
    kernel->device = device;
    tni_device_retain(device);
    *out_kernel = kernel;
    return TN_OK;
}

static void service_release_kernel(const tn_host *host, tn_device_kernel *kernel) {
    (void)host;
    if (kernel == NULL) {
        return;
    }
    tn_device *device = kernel->device;
    device->backend->destroy_kernel(device->device, kernel->kernel);
    release_module(device, kernel->module);
    tni_free(kernel);
    tni_device_release(device);
}

static tn_status service_launch(const tn_host *host, tn_stream *stream, tn_device_kernel *kernel,
                                const uint32_t groups[3], const tn_binding *bindings,
                                uint32_t binding_count, const void *push, uint32_t push_size) {
    (void)host;
    if (stream == NULL || stream->device != kernel->device) {
        return tni_fail(TN_INVALID_ARGUMENT,
                        "launch: the kernel was made for device %s, the "
                        "stream is of %s",
                        kernel->device->name, stream != NULL ? stream->device->name : "none");
    }
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) {
        return TN_OK; /* nothing has its place in the order anyway */
    }
    return kernel->device->backend->launch(stream->stream, kernel->kernel, groups, bindings,
                                           binding_count, push, push_size);
}

const tn_dispatch_service tni_dispatch_service = {
    .struct_size = TN_STRUCT_END(tn_dispatch_service, launch),
    .limits = service_limits,
    .create_kernel = service_create_kernel,
    .release_kernel = service_release_kernel,
    .launch = service_launch,
};
