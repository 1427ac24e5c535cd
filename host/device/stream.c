/* Streams: made for sessions, lent for short copies. */
#include "device/device.h"

#include "base/error.h"
#include "base/memory.h"
#include "plugin/runtime.h"

tn_status tni_stream_create(tn_device *device, tn_stream **out_stream) {
    tn_stream *stream = tni_allocate(1, sizeof *stream);
    if (stream == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    stream->device = device;
    tni_error_clear();
    const tn_status status =
        tni_plugin_status(device->backend->create_stream(device->device, &stream->stream));
    if (status != TN_OK) {
        tni_free(stream);
        return tni_in(status, "device %s: stream", device->name);
    }
    *out_stream = stream;
    return TN_OK;
}

void tni_stream_destroy(tn_stream *stream) {
    if (stream != NULL) {
        stream->device->backend->destroy_stream(stream->device->device, stream->stream);
        tni_free(stream);
    }
}

/* A stream serves one thread at a time, and no lock may be held while the backend works: each
 * caller gets one of its own. There are as many as there ever were callers at once. */
tn_status tni_stream_acquire(tn_device *device, tn_stream **out_stream) {
    pthread_mutex_lock(&device->lock);
    tn_stream *stream = device->idle;
    if (stream != NULL) {
        device->idle = stream->next;
    }
    pthread_mutex_unlock(&device->lock);
    if (stream == NULL) {
        return tni_stream_create(device, out_stream);
    }
    stream->next = NULL;
    *out_stream = stream;
    return TN_OK;
}

void tni_stream_release(tn_stream *stream) {
    tn_device *device = stream->device;
    pthread_mutex_lock(&device->lock);
    stream->next = device->idle;
    device->idle = stream;
    pthread_mutex_unlock(&device->lock);
}

tn_status tni_stream_finish(tn_stream *stream) {
    const tn_device *device = stream->device;
    uint64_t ticket;
    tni_error_clear();
    tn_status status = tni_plugin_status(device->backend->submit(stream->stream, &ticket));
    if (status == TN_OK) {
        status = tni_plugin_status(device->backend->wait(stream->stream, ticket, UINT64_MAX));
    }
    return tni_in(status, "device %s", device->name);
}
