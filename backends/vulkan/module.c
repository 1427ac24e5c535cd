/* Modules: verified SPIR-V, kept in host memory until kernels are made of it. */
#include <stdlib.h>

#include "kernels.h"

void vulkan_module_release(vulkan_module *module) {
    if (atomic_fetch_sub(&module->references, 1) == 1) {
        spirv_module_destroy(module->code);
        free(module);
    }
}

tn_status vulkan_create_module(void *device, const void *code, uint64_t size, void **out_module) {
    vulkan_device *vulkan = device;
    spirv_error error;
    TN_TRY(vulkan_require_alive(vulkan));
    spirv_module *verified = spirv_verify(code, size, &vulkan->kernels->environment, &error);
    if (verified == NULL) {
        tn_set_error(vulkan->host, error.status, "%s", error.text);
        return error.status;
    }
    vulkan_module *module = calloc(1, sizeof *module);
    if (module == NULL) {
        spirv_module_destroy(verified);
        return tn_fail(vulkan->host, TN_OUT_OF_MEMORY, "no memory for a module: %zu bytes",
                       sizeof *module);
    }
    module->device = vulkan;
    module->code = verified;
    atomic_init(&module->references, 1);
    *out_module = module;
    return TN_OK;
}

void vulkan_destroy_module(void *device, void *module) {
    (void)device;
    if (module != NULL) {
        vulkan_module_release(module);
    }
}
