/*
 * A batch: commands that are submitted together, and all that must live until they are done. A
 * recording is a batch, too: one that is never submitted itself but lent to others.
 */
#ifndef TENON_BACKENDS_VULKAN_BATCH_H
#define TENON_BACKENDS_VULKAN_BATCH_H

#include "backend.h"

/* A stream's timeline, which batches of other streams may still wait for. */
typedef struct vulkan_timeline {
    VkSemaphore semaphore;
    atomic_uint references;
} vulkan_timeline;

typedef struct vulkan_semaphore_wait {
    vulkan_timeline *timeline;
    uint64_t value;
} vulkan_semaphore_wait;

/* Bytes to be copied to the host's memory when the batch is done. */
typedef struct vulkan_readback {
    vulkan_buffer *staging;
    uint64_t offset; /* in the staging buffer */
    void *target;
    uint64_t size;
} vulkan_readback;

typedef struct vulkan_deferred {
    vulkan_release release;
    void *context;
    void *object;
} vulkan_deferred;

/* How far the batch reaches in a staging ring; see staging.h. */
typedef struct vulkan_ring_mark {
    const vulkan_buffer *buffer;
    uint64_t end;
} vulkan_ring_mark;

/* Growing arrays. */
#define VULKAN_LIST(type)                                                                          \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

typedef struct vulkan_batch {
    struct vulkan_batch *next;
    uint64_t number; /* differs for all batches of a device */
    uint64_t value;  /* on the stream's timeline, once submitted */
    VkCommandPool pool;
    VkPipelineStageFlags stages; /* that the queue knows */
    uint32_t is_recording;
    VkCommandBuffer open;    /* being recorded into, or NULL */
    uint64_t open_number;    /* differs for all command buffers of a device */
    uint32_t used;           /* of `owned`, since the pool was reset */
    uint32_t writes_visible; /* the open one writes what the host can read */
    uint32_t commands;       /* since it was begun */
    uint64_t work;
    VULKAN_LIST(VkCommandBuffer) owned; /* the pool's */
    VULKAN_LIST(VkCommandBuffer) ended; /* to be submitted, in order */
    VULKAN_LIST(vulkan_buffer *) buffers;
    VULKAN_LIST(vulkan_deferred) deferred;
    VULKAN_LIST(vulkan_readback) readbacks;
    VULKAN_LIST(vulkan_semaphore_wait) waits;
    VULKAN_LIST(struct vulkan_recording *) recordings;
    vulkan_ring_mark upload;
    vulkan_ring_mark readback;
} vulkan_batch;

/* Room for one more in a list; 0 when there is no memory. */
#define VULKAN_LIST_RESERVE(list)                                                                  \
    ((list)->count < (list)->capacity ||                                                           \
     vulkan_list_grow(&(list)->at, &(list)->capacity, sizeof *(list)->at))
/* `at` is the address of the list's pointer. */
int vulkan_list_grow(void *at, uint32_t *capacity, size_t size);

tn_status vulkan_batch_create(vulkan_device *device, uint32_t queue_family,
                              vulkan_batch **out_batch);
/* Its work is done, or never began. */
void vulkan_batch_destroy(vulkan_device *device, vulkan_batch *batch);

/* Makes it ready for new commands. */
tn_status vulkan_batch_reset(vulkan_device *device, vulkan_batch *batch);

/* Begins a command buffer unless one is open. */
tn_status vulkan_batch_open(vulkan_device *device, vulkan_batch *batch);
/* Ends the open one, which is then to be submitted. */
tn_status vulkan_batch_close(vulkan_device *device, vulkan_batch *batch);

/* Those that the stages of the batch's queue have. */
VkAccessFlags vulkan_batch_accesses(const vulkan_batch *batch, VkAccessFlags accesses);

/* Keeps the buffer until the batch is done. */
tn_status vulkan_batch_retain(vulkan_device *device, vulkan_batch *batch, vulkan_buffer *buffer);

/* Copies what was read back, then gives up all that the batch holds. `is_done` 0: the work never
 * ran, nothing was read. The failure of a read-back is returned. */
VkResult vulkan_batch_finish(vulkan_device *device, vulkan_batch *batch, int is_done);

void vulkan_timeline_release(vulkan_device *device, vulkan_timeline *timeline);

/* The memory that the host wrote, for a device that does not see it by itself. */
VkResult vulkan_batch_flush_uploads(vulkan_batch *batch);

/* recording.c */
struct vulkan_recording {
    vulkan_device *device;
    atomic_uint references;
    vulkan_batch *batch;
    uint64_t last_value; /* of the run before, on `last_stream` */
    vulkan_stream *last_stream;
};
typedef struct vulkan_recording vulkan_recording;

void vulkan_recording_release(vulkan_recording *recording);

/* No memory for a list of the backend's own. */
tn_status vulkan_fail_list(const vulkan_device *device);

#endif
