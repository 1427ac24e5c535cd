/*
 * The plugin "vulkan" from inside: what its files share.
 *
 * The plugin owns one instance for a runtime; an open device owns queues, memory and modules; a
 * stream owns a timeline and batches of commands. Who may call what is as in device.h: a stream
 * has one caller at a time, everything else any number. Locks are taken in this order: the
 * device's list of streams, a stream's retire lock, the heap's lock, a queue's lock.
 */
#ifndef TENON_BACKENDS_VULKAN_BACKEND_H
#define TENON_BACKENDS_VULKAN_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>

#include <tenon/plugin.h>

#include "fault.h"
#include "feature.h"
#include "functions.h"
#include "physical_device.h"
#include "result.h"

typedef struct vulkan_plugin vulkan_plugin;
typedef struct vulkan_device vulkan_device;
typedef struct vulkan_stream vulkan_stream;
typedef struct vulkan_buffer vulkan_buffer;
typedef struct vulkan_heap vulkan_heap;

enum { VULKAN_MAX_QUEUES = 4, VULKAN_MAX_TRANSFER_QUEUES = 2, VULKAN_TIME_SLOTS = 4096 };

/* A queue that streams share. */
typedef struct vulkan_queue {
    VkQueue handle;
    pthread_mutex_t lock; /* around vkQueueSubmit */
} vulkan_queue;

/* Counted since the device was opened; for tests and reports. */
typedef struct vulkan_statistics {
    atomic_ullong memory_allocations; /* calls of vkAllocateMemory */
    atomic_ullong submits;            /* calls of vkQueueSubmit */
    atomic_ullong command_buffers;
    atomic_ullong barriers;
    atomic_ullong dispatches;
    atomic_ullong bytes_staged;   /* copied by the host between its memory and staging */
    atomic_ullong bytes_direct;   /* copied by the host straight into or out of device memory */
    atomic_ullong bytes_imported; /* that the device copied from or to the host's own pages */
    atomic_ullong pipelines;      /* calls of vkCreateComputePipelines */
} vulkan_statistics;

struct vulkan_device {
    const tn_host *host;
    vulkan_plugin *plugin;
    vulkan_functions vk;
    vulkan_fault *fault; /* NULL: no call is faulted */
    VkDevice handle;
    const vulkan_physical_device *physical; /* name, properties, limits, memory types, quirks */
    vulkan_features features;               /* what is enabled and used */
    uint64_t generation;                    /* differs each time a device is opened */
    uint32_t queue_family;
    uint32_t queue_count;
    vulkan_queue queues[VULKAN_MAX_QUEUES];
    uint32_t transfer_family; /* with the feature TRANSFER_QUEUE: a queue for copies alone */
    uint32_t transfer_queue_count;
    vulkan_queue transfer_queues[VULKAN_MAX_TRANSFER_QUEUES]; /* for uploads, for downloads */
    atomic_uint next_queue;
    atomic_ullong next_batch;  /* numbers batches of all streams */
    atomic_int lost;           /* sticky */
    uint64_t close_timeout_ns; /* how long a stream's end waits for its work */
    vulkan_heap *heap;
    const volatile uint32_t *alive; /* the plugin's: 0 in a forked child */
    vulkan_statistics statistics;

    pthread_mutex_t streams_lock;
    vulkan_stream *streams;

    /* The kernels' side: set by vulkan_kernels_open, private to it. */
    struct vulkan_kernels *kernels;

    /* Large copies within the device: NULL where vkCmdCopyBuffer is as fast. Same arguments as
     * vulkan_copy; both offsets and the size are multiples of 16. */
    tn_status (*kernel_copy)(vulkan_stream *stream, vulkan_buffer *target, uint64_t target_offset,
                             vulkan_buffer *source, uint64_t source_offset, uint64_t size);
};

/* A buffer as the host holds it: a part of a VkBuffer. Many share one VkBuffer, so that `offset`
 * must be added to every offset that Vulkan is given. */
struct vulkan_buffer {
    vulkan_device *device;
    VkBuffer handle;
    uint64_t offset;        /* in `handle`: a multiple of every alignment that a binding needs */
    uint64_t size;          /* bytes asked for */
    uint32_t memory;        /* TN_MEMORY_… */
    uint32_t is_coherent;   /* else mapped ranges are flushed and invalidated */
    uint32_t is_host_read;  /* the host may read what the device writes */
    void *address;          /* NULL: the host cannot reach it */
    atomic_uint references; /* the host's one, each batch's and each recording's */
    atomic_uint uses;       /* batches recorded or running that use it */
    atomic_ullong batch;    /* the last batch that took a reference */
    struct vulkan_block *block;
    struct tlsf_node *node; /* NULL: the block is all its own */
};

/* ---- Errors: error.c ---- */

/* Maps a result to a status and words the error: "vkCreateBuffer: VK_ERROR_… (out of memory on the
 * device)". DEVICE_LOST marks the device. `call` is the function's name with "vk". */
tn_status vulkan_fail(vulkan_device *device, const char *call, VkResult result);

/* Fails with DEVICE_LOST when the device is lost, and with FAILED_PRECONDITION in a process that
 * was forked from the one that opened it. First line of every entry of the backend. */
tn_status vulkan_require_alive(vulkan_device *device);

/* A call that can fail, by a table that can be faulted:
 *     const VkResult result = VK_CALL(device, CreateBuffer, device->handle, &info, NULL, &buffer);
 * `owner` has the fields `vk` and `fault`. */
#define VK_CALL(owner, name, ...)                                                                  \
    ((owner)->fault != NULL && vulkan_fault_due((owner)->fault, VULKAN_CALL_##name)                \
         ? vulkan_fault_result((owner)->fault, VULKAN_CALL_##name)                                 \
         : (owner)->vk.name(__VA_ARGS__))

/* Debug name of an object, where the validation layer or a debugger listens. */
void vulkan_name(vulkan_device *device, VkObjectType type, uint64_t object, const char *name);

/* ---- Memory: heap.c, memory.c ---- */

tn_status vulkan_allocate(void *device, uint64_t size, uint64_t alignment, uint32_t memory,
                          void **out_buffer);
void vulkan_free(void *device, void *buffer);
tn_status vulkan_map(void *device, void *buffer, void **out_address);
tn_status vulkan_memory_usage(void *device, tn_memory_usage *out_usage);

/* One more, or one less, that keeps the memory. [any] */
void vulkan_buffer_retain(vulkan_buffer *buffer);
void vulkan_buffer_release(vulkan_buffer *buffer);

/* OUT_OF_RANGE unless offset and size lie within the buffer (0 ≤ size). `what` begins the text. */
tn_status vulkan_buffer_check(const vulkan_buffer *buffer, const char *what, uint64_t offset,
                              uint64_t size);

/* ---- Commands on a stream: stream.c ---- */

/* How a command uses a range of a buffer. */
typedef struct vulkan_use {
    vulkan_buffer *buffer;
    uint64_t offset; /* within the buffer */
    uint64_t size;
    uint32_t access; /* TN_ACCESS_… */
} vulkan_use;

/* Opens the stream for one command (or several that do not depend on one another) that uses these
 * ranges: keeps the buffers alive until the work is done, records a barrier where a range was
 * written before or is written after a read, and gives the command buffer to record into. `stage`
 * is VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT or VK_PIPELINE_STAGE_TRANSFER_BIT. Works the same
 * between begin_recording and end_recording. The command buffer is valid until vulkan_stream_end,
 * which must follow; nothing is to be undone when either fails. [serial:stream] */
tn_status vulkan_stream_begin(vulkan_stream *stream, const vulkan_use *uses, uint32_t count,
                              VkPipelineStageFlags stage, VkCommandBuffer *out_commands);
/* `work`: bytes that the command reads and writes, or a number as large as its time is long. The
 * batch may be submitted here. */
tn_status vulkan_stream_end(vulkan_stream *stream, uint64_t work);

/* Calls release(context, object) when all that the stream has recorded so far is done, or, while a
 * recording is made, when the recording is destroyed and its last run is done. From any thread,
 * with the stream's retire lock held: release must not call the stream. After OUT_OF_MEMORY it is
 * never called. Between begin and end. [serial:stream] */
typedef void (*vulkan_release)(void *context, void *object);
tn_status vulkan_stream_defer(vulkan_stream *stream, vulkan_release release, void *context,
                              void *object);

/* True between begin_recording and end_recording: what is recorded runs many times, perhaps
 * several times at once, and what it refers to must stay as it is. */
int vulkan_stream_is_recording(const vulkan_stream *stream);

/* Changes with each VkCommandBuffer that vulkan_stream_begin gives: bound pipelines and sets are
 * forgotten then. Never 0. */
uint64_t vulkan_stream_commands_number(const vulkan_stream *stream);

vulkan_device *vulkan_stream_device(const vulkan_stream *stream);

/* What the kernels' side keeps with a stream (descriptor pools, the push ring, what is bound). A
 * struct of its own, made on first use; given back to vulkan_kernels_stream_finish. */
struct vulkan_stream_kernels **vulkan_stream_kernels_slot(vulkan_stream *stream);

tn_status vulkan_create_stream(void *device, void **out_stream);
void vulkan_destroy_stream(void *device, void *stream);
tn_status vulkan_submit(void *stream, uint64_t *out_ticket);
tn_status vulkan_wait_stream(void *stream, void *other, uint64_t ticket);
tn_status vulkan_wait(void *stream, uint64_t ticket, uint64_t timeout_ns);

/* ---- Copies: copy.c ---- */

tn_status vulkan_copy_from_host(void *stream, void *buffer, uint64_t offset, const void *source,
                                uint64_t size);
tn_status vulkan_copy_to_host(void *stream, void *target, const void *buffer, uint64_t offset,
                              uint64_t size);
tn_status vulkan_copy(void *stream, void *target, uint64_t target_offset, const void *source,
                      uint64_t source_offset, uint64_t size);
tn_status vulkan_fill(void *stream, void *buffer, uint64_t offset, uint64_t size, uint32_t pattern);

/* ---- Recordings: recording.c; time stamps: time_stamp.c ---- */

tn_status vulkan_begin_recording(void *stream);
tn_status vulkan_end_recording(void *stream, void **out_recording);
tn_status vulkan_replay(void *stream, void *recording);
void vulkan_destroy_recording(void *device, void *recording);
tn_status vulkan_write_time(void *stream, uint32_t slot);
tn_status vulkan_read_time(void *stream, uint32_t slot, uint64_t *out_ns);

/* ---- Device code: the kernels' side (module.c, kernel.c, dispatch.c, …) ---- */

/* Called at the end of open, when memory and streams already work, and at the begin of close, when
 * no work is left. `open` undoes what it did when it fails. */
tn_status vulkan_kernels_open(vulkan_device *device);
void vulkan_kernels_close(vulkan_device *device);
/* The stream's work is done. `kernels` may be NULL. */
void vulkan_kernels_stream_finish(vulkan_device *device, struct vulkan_stream_kernels *kernels);

tn_status vulkan_limits(void *device, tn_device_limits *out_limits);
tn_status vulkan_create_module(void *device, const void *code, uint64_t size, void **out_module);
void vulkan_destroy_module(void *device, void *module);
tn_status vulkan_create_kernel(void *device, void *module, const tn_device_kernel_desc *desc,
                               void **out_kernel);
void vulkan_destroy_kernel(void *device, void *kernel);
tn_status vulkan_launch(void *stream, void *kernel, const uint32_t groups[3],
                        const tn_binding *bindings, uint32_t binding_count, const void *push,
                        uint32_t push_size);

#endif
