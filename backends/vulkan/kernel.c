/*
 * Kernels: an entry point of a module with its constants, checked against what the code says and
 * what the device can. Kernels of the same making are one; two threads that ask for the same one at
 * once get it from a single call of the driver.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* ---- Checks ---- */

uint32_t vulkan_max_bindings(const vulkan_device *device) {
    const uint32_t most = device->physical->properties.limits.maxPerStageDescriptorStorageBuffers;
    return most < SPIRV_MAX_BINDINGS ? most : (uint32_t)SPIRV_MAX_BINDINGS;
}

static tn_status check_description(const vulkan_device *device, const vulkan_module *module,
                                   const tn_device_kernel_desc *desc) {
    const uint32_t most = vulkan_max_bindings(device);
    if (module == NULL || desc->entry_point == NULL || module->device != device) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "create_kernel: expected a module of this device and an entry point");
    }
    if (desc->binding_count > most) {
        return tn_fail(device->host, TN_UNSUPPORTED,
                       "kernel '%s': %u bindings, the device takes %u", desc->entry_point,
                       (unsigned)desc->binding_count, (unsigned)most);
    }
    if (desc->push_size % 4 != 0 || desc->push_size > VULKAN_MAX_PUSH_SIZE) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "kernel '%s': push_size is %u, expected a multiple of 4 up to %u",
                       desc->entry_point, (unsigned)desc->push_size,
                       (unsigned)VULKAN_MAX_PUSH_SIZE);
    }
    for (uint32_t i = 0; i < desc->binding_count; i++) {
        if (desc->access == NULL || desc->access[i] == 0 ||
            (desc->access[i] & ~(TN_ACCESS_READ | TN_ACCESS_WRITE)) != 0) {
            return tn_fail(device->host, TN_INVALID_ARGUMENT,
                           "kernel '%s': the access of binding %u is not said", desc->entry_point,
                           (unsigned)i);
        }
    }
    if (desc->specialization_count > 0 && desc->specializations == NULL) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "kernel '%s': %u specialization constants, the list is NULL",
                       desc->entry_point, (unsigned)desc->specialization_count);
    }
    return TN_OK;
}

static const char *access_name(uint32_t access) {
    static const char *const names[] = {"nothing", "reads", "writes", "reads and writes"};
    return names[access & 3];
}

static tn_status check_bindings(const vulkan_device *device, const tn_device_kernel_desc *desc,
                                const spirv_interface *interface) {
    if (interface->binding_end > desc->binding_count) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "kernel '%s': the code uses binding %u, %u are declared", desc->entry_point,
                       (unsigned)interface->binding_end - 1, (unsigned)desc->binding_count);
    }
    for (uint32_t i = 0; i < interface->binding_end; i++) {
        if ((interface->access[i] & ~desc->access[i]) != 0) {
            return tn_fail(device->host, TN_INVALID_ARGUMENT,
                           "kernel '%s': the code %s binding %u, which is declared as one that it "
                           "%s",
                           desc->entry_point, access_name(interface->access[i]), (unsigned)i,
                           access_name(desc->access[i]));
        }
    }
    if (interface->push_size > desc->push_size) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "kernel '%s': the code has %u bytes of push constants, %u are declared",
                       desc->entry_point, (unsigned)interface->push_size,
                       (unsigned)desc->push_size);
    }
    return TN_OK;
}

static tn_status check_workgroup(const vulkan_device *device, const tn_device_kernel_desc *desc,
                                 const spirv_interface *interface) {
    const VkPhysicalDeviceLimits *limits = &device->physical->properties.limits;
    const uint32_t *size = interface->workgroup_size;
    for (uint32_t i = 0; i < 3; i++) {
        if (desc->workgroup_size[i] != 0 && desc->workgroup_size[i] != size[i]) {
            return tn_fail(device->host, TN_INVALID_ARGUMENT,
                           "kernel '%s': the code's workgroup has %u invocations on axis %u, %u "
                           "are declared",
                           desc->entry_point, (unsigned)size[i], (unsigned)i,
                           (unsigned)desc->workgroup_size[i]);
        }
        if (size[i] == 0 || size[i] > limits->maxComputeWorkGroupSize[i]) {
            return tn_fail(device->host, TN_UNSUPPORTED,
                           "kernel '%s': a workgroup of %u invocations on axis %u, the device "
                           "takes 1 to %u",
                           desc->entry_point, (unsigned)size[i], (unsigned)i,
                           (unsigned)limits->maxComputeWorkGroupSize[i]);
        }
    }
    const uint64_t invocations = (uint64_t)size[0] * size[1] * size[2];
    if (invocations > limits->maxComputeWorkGroupInvocations) {
        return tn_fail(device->host, TN_UNSUPPORTED,
                       "kernel '%s': a workgroup of %llu invocations, the device takes %u",
                       desc->entry_point, (unsigned long long)invocations,
                       (unsigned)limits->maxComputeWorkGroupInvocations);
    }
    if (interface->shared_bytes > limits->maxComputeSharedMemorySize) {
        return tn_fail(device->host, TN_UNSUPPORTED,
                       "kernel '%s': %llu bytes of shared memory, the device has %u",
                       desc->entry_point, (unsigned long long)interface->shared_bytes,
                       (unsigned)limits->maxComputeSharedMemorySize);
    }
    return TN_OK;
}

static tn_status check_subgroup(const vulkan_device *device, const tn_device_kernel_desc *desc,
                                const spirv_interface *interface) {
    const vulkan_physical_device *physical = device->physical;
    const uint32_t size = desc->subgroup_size;
    const uint64_t invocations = (uint64_t)interface->workgroup_size[0] *
                                 interface->workgroup_size[1] * interface->workgroup_size[2];
    if (size == 0) {
        return TN_OK;
    }
    if (!VULKAN_HAS(device->features, SUBGROUP_SIZE_CONTROL)) {
        return size == physical->subgroup_size
                   ? TN_OK
                   : tn_fail(device->host, TN_UNSUPPORTED,
                             "kernel '%s': subgroups of %u, the device has %u and no choice",
                             desc->entry_point, (unsigned)size, (unsigned)physical->subgroup_size);
    }
    if (size < physical->min_subgroup_size || size > physical->max_subgroup_size ||
        (size & (size - 1)) != 0) {
        return tn_fail(device->host, TN_UNSUPPORTED,
                       "kernel '%s': subgroups of %u, the device takes powers of two from %u to %u",
                       desc->entry_point, (unsigned)size, (unsigned)physical->min_subgroup_size,
                       (unsigned)physical->max_subgroup_size);
    }
    if ((invocations + size - 1) / size > physical->max_compute_subgroups) {
        return tn_fail(device->host, TN_UNSUPPORTED,
                       "kernel '%s': a workgroup of more than %u subgroups", desc->entry_point,
                       (unsigned)physical->max_compute_subgroups);
    }
    return TN_OK;
}

static tn_status check_interface(const vulkan_device *device, const vulkan_module *module,
                                 const tn_device_kernel_desc *desc,
                                 spirv_interface *out_interface) {
    spirv_error error;
    TN_TRY(check_description(device, module, desc));
    const tn_status status = spirv_reflect(module->code, desc->entry_point, desc->specializations,
                                           desc->specialization_count, out_interface, &error);
    if (status != TN_OK) {
        tn_set_error(device->host, status, "%s", error.text);
        return status;
    }
    TN_TRY(check_bindings(device, desc, out_interface));
    TN_TRY(check_workgroup(device, desc, out_interface));
    return check_subgroup(device, desc, out_interface);
}

/* ---- Making and sharing ---- */

static void free_kernel(vulkan_kernel *kernel) {
    if (kernel->pipeline != VK_NULL_HANDLE) {
        kernel->device->vk.DestroyPipeline(kernel->device->handle, kernel->pipeline, NULL);
    }
    if (kernel->module != NULL) {
        vulkan_module_release(kernel->module);
    }
    free(kernel->specializations);
    free(kernel->entry_point);
    free(kernel);
}

static vulkan_kernel *create_unmade(vulkan_device *device, vulkan_module *module,
                                    const tn_device_kernel_desc *desc) {
    vulkan_kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL) {
        return NULL;
    }
    kernel->device = device;
    kernel->references = 1;
    kernel->entry_point = strdup(desc->entry_point);
    kernel->specializations =
        calloc((size_t)desc->specialization_count + 1, sizeof *kernel->specializations);
    if (kernel->entry_point == NULL || kernel->specializations == NULL) {
        free_kernel(kernel);
        return NULL;
    }
    atomic_fetch_add(&module->references, 1);
    kernel->module = module;
    kernel->specialization_count = desc->specialization_count;
    kernel->subgroup_size = desc->subgroup_size;
    kernel->binding_count = desc->binding_count;
    kernel->push_size = desc->push_size;
    if (desc->specialization_count > 0) {
        memcpy(kernel->specializations, desc->specializations,
               desc->specialization_count * sizeof *kernel->specializations);
    }
    if (desc->binding_count > 0) {
        memcpy(kernel->access, desc->access, desc->binding_count * sizeof *kernel->access);
    }
    return kernel;
}

static int is_same(const vulkan_kernel *a, const vulkan_kernel *b) {
    return a->module == b->module && a->specialization_count == b->specialization_count &&
           a->subgroup_size == b->subgroup_size && a->binding_count == b->binding_count &&
           a->push_size == b->push_size && strcmp(a->entry_point, b->entry_point) == 0 &&
           memcmp(a->access, b->access, sizeof a->access) == 0 &&
           memcmp(a->specializations, b->specializations,
                  a->specialization_count * sizeof *a->specializations) == 0;
}

static void unlist(vulkan_kernels *kernels, const vulkan_kernel *kernel) {
    for (vulkan_kernel **place = &kernels->kernels; *place != NULL; place = &(*place)->next) {
        if (*place == kernel) {
            *place = kernel->next;
            return;
        }
    }
}

/* The kernel that is made as `wanted` is to be, with one more reference; or `wanted` itself, listed
 * for others to wait for. Waits while another thread makes it. */
static vulkan_kernel *share(vulkan_kernels *kernels, vulkan_kernel *wanted) {
    pthread_mutex_lock(&kernels->lock);
    for (vulkan_kernel *kernel = kernels->kernels; kernel != NULL;) {
        if (!is_same(kernel, wanted)) {
            kernel = kernel->next;
        } else if (kernel->state == VULKAN_KERNEL_READY) {
            kernel->references++;
            pthread_mutex_unlock(&kernels->lock);
            return kernel;
        } else {
            pthread_cond_wait(&kernels->changed, &kernels->lock);
            kernel = kernels->kernels; /* the list is another now */
        }
    }
    wanted->next = kernels->kernels;
    kernels->kernels = wanted;
    pthread_mutex_unlock(&kernels->lock);
    return wanted;
}

static void publish(vulkan_kernels *kernels, vulkan_kernel *kernel, int is_ready) {
    pthread_mutex_lock(&kernels->lock);
    if (is_ready) {
        kernel->state = VULKAN_KERNEL_READY;
    } else {
        unlist(kernels, kernel);
    }
    pthread_cond_broadcast(&kernels->changed);
    pthread_mutex_unlock(&kernels->lock);
}

static tn_status make(vulkan_kernel *kernel, const spirv_interface *interface) {
    vulkan_device *device = kernel->device;
    const uint32_t most = device->kernels->max_push_constants;
    memcpy(kernel->workgroup_size, interface->workgroup_size, sizeof kernel->workgroup_size);
    kernel->folds = interface->reads_grid;
    kernel->is_spilled = kernel->push_size > most && interface->push_size > 0;
    const uint32_t bindings = kernel->binding_count + (kernel->is_spilled ? 1 : 0);
    const uint32_t most_bindings =
        device->physical->properties.limits.maxPerStageDescriptorStorageBuffers;
    if (bindings > most_bindings) {
        return tn_fail(device->host, TN_UNSUPPORTED,
                       "kernel '%s': %u bindings and one for its %u bytes of push data, the device "
                       "takes %u",
                       kernel->entry_point, (unsigned)kernel->binding_count,
                       (unsigned)kernel->push_size, (unsigned)most_bindings);
    }
    /* What the code does not read need not be pushed. */
    kernel->pushed_size = kernel->push_size > most ? most : kernel->push_size;
    const uint32_t pushed = kernel->is_spilled ? 0 : kernel->pushed_size;
    TN_TRY(vulkan_layout_find(device, bindings, pushed, &kernel->layout));
    return vulkan_pipeline_create(kernel);
}

tn_status vulkan_create_kernel(void *device, void *module, const tn_device_kernel_desc *desc,
                               void **out_kernel) {
    vulkan_device *vulkan = device;
    spirv_interface interface;
    TN_TRY(vulkan_require_alive(vulkan));
    TN_TRY(check_interface(vulkan, module, desc, &interface));
    vulkan_kernel *kernel = create_unmade(vulkan, module, desc);
    if (kernel == NULL) {
        return tn_fail(vulkan->host, TN_OUT_OF_MEMORY, "no memory for kernel '%s'",
                       desc->entry_point);
    }
    vulkan_kernel *shared = share(vulkan->kernels, kernel);
    if (shared != kernel) {
        free_kernel(kernel);
        *out_kernel = shared;
        return TN_OK;
    }
    const tn_status status = make(kernel, &interface);
    publish(vulkan->kernels, kernel, status == TN_OK);
    if (status != TN_OK) {
        free_kernel(kernel);
        return status;
    }
    *out_kernel = kernel;
    return TN_OK;
}

void vulkan_kernel_retain(vulkan_kernel *kernel) {
    pthread_mutex_lock(&kernel->device->kernels->lock);
    kernel->references++;
    pthread_mutex_unlock(&kernel->device->kernels->lock);
}

void vulkan_kernel_release(vulkan_kernel *kernel) {
    vulkan_kernels *kernels = kernel->device->kernels;
    pthread_mutex_lock(&kernels->lock);
    const int is_last = --kernel->references == 0;
    if (is_last) {
        unlist(kernels, kernel);
    }
    pthread_mutex_unlock(&kernels->lock);
    if (is_last) {
        free_kernel(kernel);
    }
}

void vulkan_destroy_kernel(void *device, void *kernel) {
    const vulkan_device *vulkan = device;
    if (kernel != NULL && *vulkan->alive != 0) {
        vulkan_kernel_release(kernel);
    }
}
