/*
 * A device whose streams are threads: what is queued runs later, in order, beside everything else,
 * and streams wait for one another without a thread of the host. Work is any C function. Uses no
 * test framework, so that it runs under a thread sanitizer.
 *
 * Devices are opened without a registry: timeline_open(runtime, backend, index), with two backends,
 * 0 and 1, that have the same functions but do not order each other's work.
 */
#ifndef TENON_TESTS_TIMELINE_BACKEND_H
#define TENON_TESTS_TIMELINE_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/device_table.h"

typedef struct timeline_op {
    struct timeline_op *next;
    tn_status (*work)(void *context); /* NULL: waits for `other`, or is a ticket */
    void *context;
    struct timeline_stream *other;
    uint64_t ticket;
} timeline_op;

typedef struct timeline_stream {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    timeline_op *queued, **queued_last;       /* not submitted; the queueing thread's */
    timeline_op *submitted, **submitted_last; /* under the lock, as all below */
    uint64_t last_ticket, done;
    tn_status failed; /* sticky, as a lost device */
    int is_ending;
} timeline_stream;

/* What tests look at, and turn. */
static struct timeline {
    atomic_int streams, opened, submits, stream_waits, host_waits;
    _Atomic(tn_status) fail_submit, fail_stream, fail_wait_stream;
    uint32_t flags; /* of devices opened from now on */
} timeline;

static void timeline_add(timeline_stream *stream, timeline_op op) {
    timeline_op *added = malloc(sizeof *added);
    *added = op;
    added->next = NULL;
    *stream->queued_last = added;
    stream->queued_last = &added->next;
}

/* Work for a stream; called in a task's `queue`. */
__attribute__((unused)) static void timeline_queue(tn_stream *stream,
                                                   tn_status (*work)(void *context),
                                                   void *context) {
    timeline_add(stream->stream, (timeline_op){.work = work, .context = context});
}

static tn_status timeline_await(timeline_stream *stream, uint64_t ticket) {
    pthread_mutex_lock(&stream->lock);
    while (stream->done < ticket) {
        pthread_cond_wait(&stream->changed, &stream->lock);
    }
    const tn_status status = stream->failed;
    pthread_mutex_unlock(&stream->lock);
    return status;
}

static tn_status timeline_do(const timeline_op *op) {
    if (op->work != NULL) {
        return op->work(op->context);
    }
    if (op->other != NULL) {
        timeline_await(op->other, op->ticket);
    }
    return TN_OK;
}

static void *timeline_run(void *context) {
    timeline_stream *stream = context;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        timeline_op *op = stream->submitted;
        if (op == NULL && stream->is_ending) {
            break;
        }
        if (op == NULL) {
            pthread_cond_wait(&stream->changed, &stream->lock);
            continue;
        }
        stream->submitted = op->next;
        if (op->next == NULL) {
            stream->submitted_last = &stream->submitted;
        }
        pthread_mutex_unlock(&stream->lock);
        const tn_status status = timeline_do(op);
        pthread_mutex_lock(&stream->lock);
        stream->failed = stream->failed == TN_OK ? status : stream->failed;
        if (op->work == NULL && op->other == NULL) {
            stream->done = op->ticket;
            pthread_cond_broadcast(&stream->changed);
        }
        free(op);
    }
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

static tn_status timeline_create_stream(void *device, void **out_stream) {
    (void)device;
    if (atomic_load(&timeline.fail_stream) != TN_OK) {
        return atomic_load(&timeline.fail_stream);
    }
    timeline_stream *stream = calloc(1, sizeof *stream);
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->changed, NULL);
    stream->queued_last = &stream->queued;
    stream->submitted_last = &stream->submitted;
    pthread_create(&stream->thread, NULL, timeline_run, stream);
    atomic_fetch_add(&timeline.streams, 1);
    *out_stream = stream;
    return TN_OK;
}

static tn_status timeline_submit(void *context, uint64_t *out_ticket) {
    timeline_stream *stream = context;
    atomic_fetch_add(&timeline.submits, 1);
    if (atomic_load(&timeline.fail_submit) != TN_OK) {
        return atomic_load(&timeline.fail_submit);
    }
    *out_ticket = ++stream->last_ticket;
    timeline_add(stream, (timeline_op){.ticket = stream->last_ticket});
    pthread_mutex_lock(&stream->lock);
    *stream->submitted_last = stream->queued;
    stream->submitted_last = stream->queued_last;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
    stream->queued = NULL;
    stream->queued_last = &stream->queued;
    return TN_OK;
}

static void timeline_destroy_stream(void *device, void *context) {
    timeline_stream *stream = context;
    uint64_t ticket;
    (void)device;
    timeline_submit(stream, &ticket);
    pthread_mutex_lock(&stream->lock);
    stream->is_ending = 1;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    while (stream->queued != NULL) { /* when submit is made to fail */
        timeline_op *next = stream->queued->next;
        free(stream->queued);
        stream->queued = next;
    }
    pthread_mutex_destroy(&stream->lock);
    pthread_cond_destroy(&stream->changed);
    free(stream);
    atomic_fetch_sub(&timeline.streams, 1);
}

static tn_status timeline_wait_stream(void *stream, void *other, uint64_t ticket) {
    atomic_fetch_add(&timeline.stream_waits, 1);
    if (atomic_load(&timeline.fail_wait_stream) != TN_OK) {
        return atomic_load(&timeline.fail_wait_stream);
    }
    timeline_add(stream, (timeline_op){.other = other, .ticket = ticket});
    return TN_OK;
}

static tn_status timeline_wait(void *stream, uint64_t ticket, uint64_t timeout_ns) {
    (void)timeout_ns;
    atomic_fetch_add(&timeline.host_waits, 1);
    return timeline_await(stream, ticket);
}

static tn_status timeline_count(const tn_host *host, uint32_t *out_count) {
    (void)host;
    *out_count = 4;
    return TN_OK;
}

static tn_status timeline_info(const tn_host *host, uint32_t index, tn_device_info *out_info) {
    (void)host;
    out_info->id = (tn_device_id){TN_DEVICE_TYPE_VULKAN, (int32_t)index};
    out_info->name = "timeline";
    out_info->targets = "";
    out_info->flags = timeline.flags;
    return TN_OK;
}

static tn_status timeline_open_device(const tn_host *host, uint32_t index, const tn_option *options,
                                      uint32_t option_count, void **out_device) {
    (void)host;
    (void)index;
    (void)options;
    (void)option_count;
    atomic_fetch_add(&timeline.opened, 1);
    *out_device = &timeline;
    return TN_OK;
}

static void timeline_close_device(const tn_host *host, void *device) {
    (void)host;
    (void)device;
    atomic_fetch_sub(&timeline.opened, 1);
}

#define TIMELINE_BACKEND                                                                           \
    {                                                                                              \
        .struct_size = TN_DEVICE_BACKEND_SIZE, .doc = "Streams that are threads.",                 \
        .count = timeline_count, .info = timeline_info, .open = timeline_open_device,              \
        .close = timeline_close_device, .create_stream = timeline_create_stream,                   \
        .destroy_stream = timeline_destroy_stream, .submit = timeline_submit,                      \
        .wait_stream = timeline_wait_stream, .wait = timeline_wait,                                \
    }

static const tn_device_backend timeline_backends[2] = {TIMELINE_BACKEND, TIMELINE_BACKEND};
static tni_plugin timeline_plugin = {.name = "timeline", .version = "1", .path = "(in the test)"};
static const tn_entry timeline_tables[2] = {
    TN_ENTRY_DEVICE("timeline", &timeline_backends[0]),
    TN_ENTRY_DEVICE("other", &timeline_backends[1]),
};
static const tni_entry timeline_entries[2] = {
    {.entry = &timeline_tables[0], .plugin = &timeline_plugin},
    {.entry = &timeline_tables[1], .plugin = &timeline_plugin},
};

/* NULL on failure, with an error text. */
__attribute__((unused)) static tn_device *timeline_open(tn_runtime *runtime, uint32_t backend,
                                                        uint32_t index) {
    tn_device *device = NULL;
    timeline_plugin.runtime = runtime;
    const tni_device_place place = {&timeline_entries[backend], index};
    return tni_device_open_place(runtime, place, &device) == TN_OK ? device : NULL;
}

#endif
