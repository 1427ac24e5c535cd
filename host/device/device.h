/*
 * Open devices: a backend, its device, streams for the host's own copies, and the pool of buffers
 * that are free for reuse.
 */
#ifndef TENON_DEVICE_DEVICE_H
#define TENON_DEVICE_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <tenon/device.h>
#include <tenon/plugin/host.h>

#include "device/pool.h"
#include "plugin/registry.h"

struct tn_device {
    tn_runtime *runtime;
    const tni_entry *entry; /* with a lease */
    const tn_device_backend *backend;
    void *device; /* the backend's */
    uint32_t index;
    tn_device_id id;
    uint32_t flags;    /* TN_DEVICE_… */
    char *name;        /* "vulkan:0" */
    char *targets;     /* "cpu" */
    uint32_t opened;   /* opens not yet closed; guarded by the table */
    atomic_uint users; /* opens, and tensors and sessions that keep it open */

    tn_stream
        *stream; /* one that is always there; [serial], so for whoever owns the device alone */

    pthread_mutex_t lock;              /* of the two lists below */
    tn_stream *idle;                   /* streams for copies, between two of them */
    struct tni_device_module *modules; /* of device code, shared by content */
    tni_pool pool;

    tn_device *next; /* in the table */
};

/* The handle that kernels get: the backend's stream and its device. */
struct tn_stream {
    tn_device *device;
    void *stream;
    tn_stream *next; /* in the device's list of idle streams */
};

static inline bool tni_device_is_host_addressable(const tn_device *device) {
    return (device->flags & TN_DEVICE_HOST_ADDRESSABLE) != 0;
}

/* Whether the device runs code of this target. */
int32_t tni_device_has_target(const tn_device *device, const char *target);

/* The CPU device when one is open, for the `parallel` service; NULL otherwise. Never blocks. The
 * first is borrowed and may be closed by another thread at any time; the second holds the device
 * until tni_device_release. */
tn_device *tni_device_cpu(const tn_runtime *runtime);
tn_device *tni_device_cpu_acquire(const tn_runtime *runtime);

void tni_device_retain(tn_device *device);
/* NULL is allowed. The last one closes the device. */
void tni_device_release(tn_device *device);

/* Memory through the device's pool, uninitialised, aligned for every kind of element and binding.
 * `size` 0 gives a buffer, too. Freed memory may be handed out again at once: no work that uses it
 * may be queued any more. Otherwise it is discarded: the backend has it back, which keeps it until
 * the tickets of that work are complete. */
tn_status tni_device_allocate(tn_device *device, uint64_t size, void **out_buffer);
void tni_device_free(tn_device *device, void *buffer, uint64_t size);
void tni_device_discard(tn_device *device, void *buffer);

/* Streams. A stream does not keep its device open. */
tn_status tni_stream_create(tn_device *device, tn_stream **out_stream);
/* NULL is allowed. Waits for the stream's work. */
void tni_stream_destroy(tn_stream *stream);
/* An idle stream of the device, or a new one; for short work that waits for its end. */
tn_status tni_stream_acquire(tn_device *device, tn_stream **out_stream);
void tni_stream_release(tn_stream *stream);
/* Submits what is queued and waits for it. */
tn_status tni_stream_finish(tn_stream *stream);

extern const tn_parallel_service tni_parallel_service;
extern const tn_dispatch_service tni_dispatch_service;

/* Frees the table; every device must be closed already (those that are not are closed here and
 * logged). */
void tni_device_floor_finish(tn_runtime *runtime);

#endif
