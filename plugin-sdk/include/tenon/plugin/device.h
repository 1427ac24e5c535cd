/*
 * Kind "device", version 1: a device backend. The entry's name is the backend's name ("cpu",
 * "vulkan"); the user writes "vulkan:0" for its first device.
 *
 * A backend gives the host memory, streams, copies and, where the target is device code, modules
 * and dispatch. The host gives it the order of work: a *stream* is a timeline of work that runs in
 * order, a *ticket* is a point on it. Groups of functions that a backend lacks are NULL as a
 * whole; the comment at each group says when it may be.
 */
#ifndef TENON_PLUGIN_DEVICE_H
#define TENON_PLUGIN_DEVICE_H

#include <tenon/plugin/host.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

/* A device as it is listed, before it is opened. Texts belong to the backend and live as long as
 * the plugin. */
typedef struct tn_device_info {
    uint32_t struct_size;
    uint32_t flags;         /* TN_DEVICE_… */
    tn_device_id id;        /* what the views on it carry */
    const char *name;       /* "Intel(R) Xeon(R)", "NVIDIA H200" */
    const char *driver;     /* free text with the driver's version */
    const char *kind;       /* "cpu", "discrete gpu", "integrated gpu", "virtual gpu", "other" */
    const char *targets;    /* what it runs, separated by ',': "cpu", "spirv" */
    uint8_t uuid[16];       /* the same in every process and after a restart; zeros: none */
    uint64_t memory_total;  /* bytes */
    uint64_t memory_free;   /* bytes now, an estimate */
    uint32_t compute_units; /* cores, multiprocessors; 0: not known, so the rest */
    uint32_t max_clock_mhz;
    uint32_t vendor_id;         /* the registered numbers of the maker */
    uint32_t product_id;        /* and of the product */
    const char *vendor;         /* "NVIDIA" */
    const char *location;       /* "pci 0000:3b:00.0" */
    const char *api_version;    /* of the interface to the driver: "Vulkan 1.3.230" */
    const char *driver_version; /* as its maker writes it: "580.159.04" */
} tn_device_info;

#define TN_DEVICE_INFO_SIZE TN_STRUCT_END(tn_device_info, driver_version)

/* Buffer handles are addresses that the host's own threads may read and write. */
#define TN_DEVICE_HOST_ADDRESSABLE 1u
/* Work on a stream is done when the call that queued it returns. */
#define TN_DEVICE_SYNCHRONOUS 2u

/* What memory is for. */
#define TN_MEMORY_DEVICE 0u   /* kernels read and write it */
#define TN_MEMORY_UPLOAD 1u   /* the host writes it, the device reads it */
#define TN_MEMORY_READBACK 2u /* the device writes it, the host reads it */

typedef struct tn_memory_usage {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t total;     /* bytes the device has */
    uint64_t free;      /* bytes this process could still take, an estimate */
    uint64_t allocated; /* bytes handed out now */
    uint64_t peak;      /* the most that `allocated` ever was */
    uint64_t count;     /* allocations alive */
} tn_memory_usage;

#define TN_MEMORY_USAGE_SIZE TN_STRUCT_END(tn_memory_usage, count)

/*
 * `device` and `stream` below are the backend's own pointers, made by open and create_stream.
 * A ticket is a number that grows along its stream; ticket 0 is always complete.
 */
typedef struct tn_device_backend {
    uint32_t struct_size;
    uint32_t reserved;
    const char *doc;

    /* Listing and opening. Required. */

    /* [load] Writes how many devices there are. A backend that cannot work here (no driver, no
     * hardware) fails with UNAVAILABLE and says why; the host goes on without it [TN-REQ-050]. */
    tn_status (*count)(const tn_host *host, uint32_t *out_count);
    /* [any] `out_info->struct_size` says how much the host knows. */
    tn_status (*info)(const tn_host *host, uint32_t index, tn_device_info *out_info);
    /* [any] `options` are the user's, texts. */
    tn_status (*open)(const tn_host *host, uint32_t index, const tn_option *options,
                      uint32_t option_count, void **out_device);
    /* [any] Everything made on the device is gone already. */
    void (*close)(const tn_host *host, void *device);

    /* Memory. Required. */

    /* [any] `size` is at least 1, `alignment` a power of two. The buffer is not initialised.
     * OUT_OF_MEMORY names request, budget and what is free. */
    tn_status (*allocate)(void *device, uint64_t size, uint64_t alignment, uint32_t memory,
                          void **out_buffer);
    /* [any] Safe while work that uses the buffer is queued: the backend defers it. NULL is
     * allowed. */
    void (*free)(void *device, void *buffer);
    /* [any] The address of an UPLOAD or READBACK buffer, valid until it is freed; UNSUPPORTED for
     * others. On a host-addressable device that is the handle itself. */
    tn_status (*map)(void *device, void *buffer, void **out_address);
    /* [any] */
    tn_status (*memory_usage)(void *device, tn_memory_usage *out_usage);

    /* Streams. Required. */

    /* [any] */
    tn_status (*create_stream)(void *device, void **out_stream);
    /* [any] Waits for its work first. */
    void (*destroy_stream)(void *device, void *stream);
    /* All queueing calls are [serial] by stream and return before the work is done, unless the
     * device is SYNCHRONOUS. Errors of the work itself surface at the ticket. */
    tn_status (*copy_from_host)(void *stream, void *buffer, uint64_t offset, const void *source,
                                uint64_t size); /* `source` may be reused at return */
    tn_status (*copy_to_host)(void *stream, void *target, const void *buffer, uint64_t offset,
                              uint64_t size); /* `target` is valid when the ticket is complete */
    tn_status (*copy)(void *stream, void *target, uint64_t target_offset, const void *source,
                      uint64_t source_offset, uint64_t size); /* within the device, no overlap */
    tn_status (*fill)(void *stream, void *buffer, uint64_t offset, uint64_t size,
                      uint32_t pattern); /* 4-byte pattern; offset and size multiples of 4 */
    /* [serial:stream] A ticket for everything queued so far; hands the work to the device. */
    tn_status (*submit)(void *stream, uint64_t *out_ticket);
    /* [serial:stream] Work queued from now on starts after `ticket` of `other` (a stream of the
     * same backend), without blocking a thread. */
    tn_status (*wait_stream)(void *stream, void *other, uint64_t ticket);
    /* [any] Blocks until the ticket is complete. TIMEOUT after `timeout_ns`; UINT64_MAX waits
     * for ever, 0 only asks. Returns the error of the work, if it failed. */
    tn_status (*wait)(void *stream, uint64_t ticket, uint64_t timeout_ns);

    /* Loops on host threads. NULL on devices that are not the CPU. */

    /* [worker] As the `parallel` service. */
    void (*parallel_for)(void *device, int64_t count, int64_t grain,
                         void (*body)(void *context, int64_t begin, int64_t end), void *context);
    /* [any] */
    uint32_t (*thread_count)(void *device);

    /* What the device can do. NULL: there is nothing to tell; not with device code. */

    /* [any] `out_limits->struct_size` says how much the host knows; the rest is zero. */
    tn_status (*limits)(void *device, tn_device_limits *out_limits);

    /* Device code. NULL as a group where no target but "cpu" is listed. */

    /* [any] INVALID_ARGUMENT for code that does not verify, UNSUPPORTED for what the device lacks.
     */
    tn_status (*create_module)(void *device, const void *code, uint64_t size, void **out_module);
    void (*destroy_module)(void *device, void *module);
    tn_status (*create_kernel)(void *device, void *module, const tn_device_kernel_desc *desc,
                               void **out_kernel);
    void (*destroy_kernel)(void *device, void *kernel);
    /* [serial:stream] See tn_dispatch_service.launch. */
    tn_status (*launch)(void *stream, void *kernel, const uint32_t groups[3],
                        const tn_binding *bindings, uint32_t binding_count, const void *push,
                        uint32_t push_size);

    /* Recording. NULL as a group when the device cannot. */

    /* [serial:stream] Between the two, queueing calls are recorded, not run. */
    tn_status (*begin_recording)(void *stream);
    tn_status (*end_recording)(void *stream, void **out_recording);
    /* [serial:stream] Queues the recorded work again. */
    tn_status (*replay)(void *stream, void *recording);
    void (*destroy_recording)(void *device, void *recording);

    /* Time stamps. NULL as a group when the device cannot. */

    /* [serial:stream] Marks this point; `slot` 0 to 4095. */
    tn_status (*write_time)(void *stream, uint32_t slot);
    /* [any] Nanoseconds of a slot whose work is complete. */
    tn_status (*read_time)(void *stream, uint32_t slot, uint64_t *out_ns);
} tn_device_backend;

#define TN_DEVICE_BACKEND_VERSION 1u
#define TN_DEVICE_BACKEND_SIZE TN_STRUCT_END(tn_device_backend, read_time)
#define TN_ENTRY_DEVICE(NAME, IMPL)                                                                \
    { TN_KIND_DEVICE, NAME, TN_DEVICE_BACKEND_VERSION, 0, IMPL }

#endif
