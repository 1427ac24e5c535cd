/* Copies beside a stream's other work. */
#include "lane.h"

#include "transfer.h"

/* Smaller copies gain nothing by a lane of their own; a download costs a submit more. */
static const uint64_t least_upload = 1u << 20;
static const uint64_t least_download = 4u << 20;

/* The lane, made when it is first used. NULL where it cannot be had: it is no error to go without.
 */
static vulkan_stream *lane_of(vulkan_device *device, vulkan_stream **lane, uint32_t number) {
    if (*lane == NULL) {
        vulkan_queue *queue = &device->transfer_queues[number % device->transfer_queue_count];
        if (vulkan_stream_create_on(device, queue, device->transfer_family, lane) != TN_OK) {
            *lane = NULL;
        }
    }
    return *lane;
}

/* The stream has work on its way that does not use the buffer: an upload need not wait for it. */
vulkan_stream *vulkan_lane_for_upload(vulkan_stream *stream, const vulkan_buffer *buffer,
                                      uint64_t size) {
    const int is_busy =
        stream->current != NULL || atomic_load(&stream->retired) != atomic_load(&stream->submitted);
    if (!VULKAN_HAS(stream->device->features, TRANSFER_QUEUE) || size < least_upload || !is_busy ||
        !vulkan_is_unused(stream, buffer)) {
        return NULL;
    }
    return lane_of(stream->device, &stream->upload_lane, 0);
}

tn_status vulkan_lane_for_download(vulkan_stream *stream, uint64_t size, vulkan_stream **out_lane) {
    *out_lane = NULL;
    if (!VULKAN_HAS(stream->device->features, TRANSFER_QUEUE) || size < least_download) {
        return TN_OK;
    }
    vulkan_stream *lane = lane_of(stream->device, &stream->download_lane, 1);
    if (lane == NULL) {
        return TN_OK;
    }
    TN_TRY(vulkan_stream_flush(stream));
    const uint64_t ticket = atomic_load(&stream->submitted);
    if (ticket == 0) { /* nothing to wait for, and no ticket that could stand for the download */
        return TN_OK;
    }
    TN_TRY(vulkan_stream_add_wait(lane, stream->timeline, ticket));
    *out_lane = lane;
    return TN_OK;
}

/* Under the retire lock. */
static void forget_finished(vulkan_stream *stream) {
    const uint64_t retired = atomic_load(&stream->download_lane->retired);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < stream->downloads.count; i++) {
        if (stream->downloads.at[i].value > retired) {
            stream->downloads.at[kept++] = stream->downloads.at[i];
        }
    }
    stream->downloads.count = kept;
}

tn_status vulkan_lane_note_download(vulkan_stream *stream, uint64_t value,
                                    const vulkan_buffer *buffer, uint64_t offset, uint64_t size) {
    const uint64_t begin = buffer->offset + offset;
    pthread_mutex_lock(&stream->retire_lock);
    forget_finished(stream);
    const int has_room = VULKAN_LIST_RESERVE(&stream->downloads);
    if (has_room) {
        stream->downloads.at[stream->downloads.count++] = (vulkan_lane_download){
            atomic_load(&stream->submitted), value, buffer->handle, begin, begin + size};
    }
    pthread_mutex_unlock(&stream->retire_lock);
    return has_room ? TN_OK : vulkan_wait(stream->download_lane, value, UINT64_MAX);
}

uint64_t vulkan_lane_value(vulkan_stream *stream, uint64_t ticket) {
    uint64_t value = 0;
    pthread_mutex_lock(&stream->retire_lock);
    for (uint32_t i = 0; i < stream->downloads.count; i++) {
        const vulkan_lane_download *row = &stream->downloads.at[i];
        value = row->ticket <= ticket && row->value > value ? row->value : value;
    }
    pthread_mutex_unlock(&stream->retire_lock);
    return value;
}

static int is_written(const vulkan_lane_download *row, const vulkan_use *uses, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t begin = uses[i].buffer->offset + uses[i].offset;
        if ((uses[i].access & TN_ACCESS_WRITE) != 0 && uses[i].buffer->handle == row->buffer &&
            begin < row->end && row->begin < begin + uses[i].size) {
            return 1;
        }
    }
    return 0;
}

static tn_status await_download(vulkan_stream *stream, uint64_t value) {
    if (value <= stream->awaited_download) {
        return TN_OK;
    }
    TN_TRY(vulkan_stream_add_wait(stream, stream->download_lane->timeline, value));
    stream->awaited_download = value;
    return TN_OK;
}

/* The list is changed by the stream's caller alone, who is here: it is read without the lock. What
 * a recording writes is guarded when it is replayed. */
tn_status vulkan_lane_guard(vulkan_stream *stream, const vulkan_use *uses, uint32_t count) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < stream->downloads.count && stream->recording == NULL; i++) {
        const vulkan_lane_download *row = &stream->downloads.at[i];
        if (row->value > value && is_written(row, uses, count)) {
            value = row->value;
        }
    }
    return await_download(stream, value);
}

tn_status vulkan_lane_guard_all(vulkan_stream *stream) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < stream->downloads.count; i++) {
        const vulkan_lane_download *row = &stream->downloads.at[i];
        value = row->value > value ? row->value : value;
    }
    return await_download(stream, value);
}
