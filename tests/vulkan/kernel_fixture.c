#include "kernel_fixture.h"

#include "device.h"

tn_status try_kernel(vulkan_device *device, const kernel_request *request, void **out_kernel) {
    uint32_t both[SPIRV_MAX_BINDINGS];
    const test_shader *shader = find_shader(request->shader);
    void *module = NULL;
    for (size_t i = 0; i < SPIRV_MAX_BINDINGS; i++) {
        both[i] = TN_ACCESS_READ | TN_ACCESS_WRITE;
    }
    tn_device_kernel_desc desc = {
        .struct_size = TN_DEVICE_KERNEL_DESC_SIZE,
        .binding_count = request->binding_count,
        .entry_point = request->entry_point != NULL ? request->entry_point : "main",
        .access = request->access != NULL ? request->access : both,
        .specializations = request->specializations,
        .specialization_count = request->specialization_count,
        .push_size = request->push_size,
        .subgroup_size = request->subgroup_size,
    };
    memcpy(desc.workgroup_size, request->workgroup_size, sizeof desc.workgroup_size);
    TN_TRY(vulkan_create_module(device, shader->words, shader->size, &module));
    const tn_status status = vulkan_create_kernel(device, module, &desc, out_kernel);
    vulkan_destroy_module(device, module);
    return status;
}

void *make_kernel(vulkan_device *device, const kernel_request *request) {
    void *kernel = NULL;
    ASSERT_OK(try_kernel(device, request, &kernel));
    return kernel;
}

tn_binding whole(vulkan_buffer *buffer) {
    return (tn_binding){buffer, 0, buffer->size};
}

vulkan_buffer *buffer_of(vulkan_device *device, void *stream, const void *bytes, uint64_t size) {
    vulkan_buffer *buffer = fixture_buffer(device, size, TN_MEMORY_DEVICE);
    ASSERT_OK(vulkan_copy_from_host(stream, buffer, 0, bytes, size));
    return buffer;
}

void read_buffer(void *stream, const vulkan_buffer *buffer, void *bytes, uint64_t size) {
    ASSERT_OK(vulkan_copy_to_host(stream, bytes, buffer, 0, size));
    fixture_finish(stream);
}

void close_device(vulkan_device *device) {
    vulkan_close(&fixture_host, device);
}

void *make_add(vulkan_device *device) {
    static const uint32_t access[] = {TN_ACCESS_READ, TN_ACCESS_READ, TN_ACCESS_WRITE};
    return make_kernel(device, &(kernel_request){.shader = "add",
                                                 .binding_count = 3,
                                                 .push_size = sizeof(add_push),
                                                 .access = access,
                                                 .workgroup_size = {64, 1, 1}});
}
