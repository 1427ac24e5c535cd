/*
 * Devices: what the loaded backends can reach, and those that are open.
 */
#ifndef TENON_DEVICE_H
#define TENON_DEVICE_H

#include <tenon/plugin/device.h>
#include <tenon/runtime.h>

/* One backend of the runtime. `status` is not TN_OK when it cannot work here; `reason` says why. */
typedef struct tn_backend_info {
    uint32_t struct_size;
    tn_status status;
    uint32_t device_count;
    uint32_t reserved;
    const char *name; /* "cpu", "vulkan" */
    const char *plugin;
    const char *doc;
    const char *reason;
} tn_backend_info;

#define TN_BACKEND_INFO_SIZE TN_STRUCT_END(tn_backend_info, reason)

TN_API uint32_t tn_backend_count(const tn_runtime *runtime);
/* Texts live until the next call on the same backend of the runtime. */
TN_API tn_status tn_backend_get(tn_runtime *runtime, uint32_t index, tn_backend_info *out_info);
/* A device that is not open yet, of backend `backend`. */
TN_API tn_status tn_device_list(tn_runtime *runtime, const char *backend, uint32_t index,
                                tn_device_info *out_info);

/* Opens a device by name: "cpu", "vulkan", "vulkan:1"; "vulkan:TYPE" with "discrete", "integrated",
 * "virtual", "cpu" or "other" for the first device of that type; or "vulkan:NAME" with a part of
 * the device's name or its UUID in hexadecimal. A device that is open already is given again; every
 * open is to be matched by a close. NOT_FOUND when none fits and INVALID_ARGUMENT when several do
 * list those there are. */
TN_API tn_status tn_device_open(tn_runtime *runtime, const char *name, tn_device **out_device);
TN_API void tn_device_close(tn_device *device);

/* "vulkan:0" */
TN_API const char *tn_device_name(const tn_device *device);
TN_API tn_status tn_device_describe(tn_device *device, tn_device_info *out_info);
/* What the device can do: workgroups, subgroups, types of element, sizes, how it copies. Set
 * `out_limits->struct_size` to TN_DEVICE_LIMITS_SIZE before. A device about which its backend tells
 * nothing has zeros; texts are never NULL and live until the device is closed. */
TN_API tn_status tn_device_get_limits(tn_device *device, tn_device_limits *out_limits);
TN_API tn_status tn_device_memory(tn_device *device, tn_memory_usage *out_usage);
/* Gives pooled memory that nothing uses back to the device. */
TN_API void tn_device_trim(tn_device *device);

#endif
