/* The plugin "vulkan": the table of what it offers. */
#include "device.h"
#include "instance.h"
#include "kernel_library_functions.h"

static const tn_device_backend backend = {
    .struct_size = TN_DEVICE_BACKEND_SIZE,
    .doc =
        "GPUs, and whatever else has a Vulkan 1.1 driver with timeline semaphores. Options: "
        "disable, block_size, close_timeout. Environment: TENON_VK_VALIDATION, TENON_VK_DISABLE, "
        "TENON_VK_FAULT, TENON_VK_LOADER.",
    .count = vulkan_count,
    .info = vulkan_info,
    .open = vulkan_open,
    .close = vulkan_close,
    .allocate = vulkan_allocate,
    .free = vulkan_free,
    .map = vulkan_map,
    .memory_usage = vulkan_memory_usage,
    .create_stream = vulkan_create_stream,
    .destroy_stream = vulkan_destroy_stream,
    .copy_from_host = vulkan_copy_from_host,
    .copy_to_host = vulkan_copy_to_host,
    .copy = vulkan_copy,
    .fill = vulkan_fill,
    .submit = vulkan_submit,
    .wait_stream = vulkan_wait_stream,
    .wait = vulkan_wait,
    .limits = vulkan_limits,
    .create_module = vulkan_create_module,
    .destroy_module = vulkan_destroy_module,
    .create_kernel = vulkan_create_kernel,
    .destroy_kernel = vulkan_destroy_kernel,
    .launch = vulkan_launch,
    .begin_recording = vulkan_begin_recording,
    .end_recording = vulkan_end_recording,
    .replay = vulkan_replay,
    .destroy_recording = vulkan_destroy_recording,
    .write_time = vulkan_write_time,
    .read_time = vulkan_read_time,
};

static const tn_function message_count = {
    .struct_size = TN_FUNCTION_SIZE,
    .doc = "Warnings and errors that the validation layer gave in this process so far.",
    .signature = "u64()",
    .address = (void (*)(void))vulkan_validation_message_count,
};

static const tn_entry entries[] = {
    TN_ENTRY_DEVICE("vulkan", &backend),
    TN_ENTRY_FUNCTION("vulkan_validation_message_count", &message_count),
    VULKAN_LIBRARY_ENTRIES,
};

TN_PLUGIN_WITH("vulkan", "0.1.0", "error/1,attrs/1", "log/1,parallel/1", vulkan_plugin_init,
               vulkan_plugin_fini, entries);
