/* A stream from inside: its batches, its timeline, its staging rings. */
#ifndef TENON_BACKENDS_VULKAN_STREAM_H
#define TENON_BACKENDS_VULKAN_STREAM_H

#include "batch.h"
#include "range_tracker.h"
#include "staging.h"

/* Commands before a stream first submits of itself; doubled each time. */
enum { VULKAN_SUBMIT_FIRST = 16 };

/* A copy to the host on a stream's download lane. */
typedef struct vulkan_lane_download {
    uint64_t ticket; /* the stream's: it and later ones are complete when this copy is, too */
    uint64_t value;  /* on the lane's timeline */
    VkBuffer buffer; /* what is read */
    uint64_t begin, end;
} vulkan_lane_download;

struct vulkan_stream {
    vulkan_device *device;
    vulkan_stream *next; /* of the device's */
    vulkan_queue *queue;
    vulkan_stream *upload_lane;   /* for copies beside its own work; NULL until first used */
    vulkan_stream *download_lane; /* see lane.h */
    uint32_t queue_family;
    uint32_t submit_after; /* commands; grows while nobody asks for the work */
    vulkan_timeline *timeline;
    atomic_ullong submitted; /* the last value that was handed to the queue */
    atomic_ullong retired;   /* the last whose batch is finished */

    vulkan_batch *current; /* recorded into, or NULL */
    vulkan_range_tracker tracker;
    VULKAN_LIST(vulkan_semaphore_wait) waits; /* for the next batch */

    vulkan_recording *recording; /* between begin and end */
    vulkan_range_tracker recording_tracker;

    vulkan_ring upload;
    vulkan_ring readback;

    VkQueryPool times; /* made when first written */
    uint8_t time_is_written[VULKAN_TIME_SLOTS];

    struct vulkan_stream_kernels *kernels;

    uint64_t awaited_download; /* on the download lane: what is queued later waits for it */

    pthread_mutex_t retire_lock;                 /* the lists below, and finishing batches */
    VULKAN_LIST(vulkan_lane_download) downloads; /* on their way on the lane */
    vulkan_batch *running;                       /* by value */
    vulkan_batch *running_end;
    vulkan_batch *spare;
    uint32_t running_count;
    tn_status failure; /* of the last finished batch that failed */
    uint64_t failure_value;
};

/* As vulkan_create_stream, on a given queue. */
tn_status vulkan_stream_create_on(vulkan_device *device, vulkan_queue *queue, uint32_t queue_family,
                                  vulkan_stream **out_stream);

/* Submits what is recorded, if anything is, or waits for something. After a failure the stream is
 * empty and works on. */
tn_status vulkan_stream_flush(vulkan_stream *stream);

/* What is queued from now on waits for that value of the timeline. */
tn_status vulkan_stream_add_wait(vulkan_stream *stream, vulkan_timeline *timeline, uint64_t value);

/* A new current batch. */
tn_status vulkan_stream_begin_batch(vulkan_stream *stream);

/* The batch that commands go into: the recording's, or the current one. */
tn_status vulkan_stream_batch(vulkan_stream *stream, vulkan_batch **out_batch);

/* retire.c: finishes the batches that are done. */
void vulkan_stream_retire(vulkan_stream *stream);
/* Waits until the timeline has reached the value, and finishes what is done. */
tn_status vulkan_stream_wait_value(vulkan_stream *stream, uint64_t value, uint64_t timeout_ns);

#endif
