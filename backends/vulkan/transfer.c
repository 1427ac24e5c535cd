/* Uploads and downloads, by the way that suits. */
#include "transfer.h"

#include "lane.h"
#include "memcopy.h"

/* The most that is imported at once: the host pins one piece while the device copies another. */
static const uint64_t import_piece = 64u << 20;

int vulkan_is_unused(vulkan_stream *stream, const vulkan_buffer *buffer) {
    if (atomic_load_explicit(&buffer->uses, memory_order_acquire) != 0) {
        vulkan_stream_retire(stream);
        if (stream->upload_lane != NULL) {
            vulkan_stream_retire(stream->upload_lane);
        }
        if (stream->download_lane != NULL) {
            vulkan_stream_retire(stream->download_lane);
        }
    }
    return atomic_load_explicit(&buffer->uses, memory_order_acquire) == 0;
}

tn_status vulkan_record_copy(vulkan_stream *stream, vulkan_buffer *target, uint64_t target_offset,
                             vulkan_buffer *source, uint64_t source_offset, uint64_t size,
                             const vulkan_use *uses, uint32_t use_count) {
    VkCommandBuffer commands;
    const VkBufferCopy region = {
        .srcOffset = source->offset + source_offset,
        .dstOffset = target->offset + target_offset,
        .size = size,
    };
    TN_TRY(vulkan_stream_begin(stream, uses, use_count, VK_PIPELINE_STAGE_TRANSFER_BIT, &commands));
    stream->device->vk.CmdCopyBuffer(commands, source->handle, target->handle, 1, &region);
    return vulkan_stream_end(stream, size);
}

/* The host copies a piece into the ring while the device copies the one before. */
static tn_status upload_by_ring(vulkan_stream *stream, vulkan_buffer *buffer, uint64_t offset,
                                const void *source, uint64_t size) {
    const uint64_t most = vulkan_ring_piece(size);
    for (uint64_t done = 0; done < size;) {
        const uint64_t piece = size - done < most ? size - done : most;
        const vulkan_use use = {buffer, offset + done, piece, TN_ACCESS_WRITE};
        vulkan_buffer *staging;
        uint64_t place;
        TN_TRY(vulkan_ring_take(stream, TN_MEMORY_UPLOAD, piece, &staging, &place));
        vulkan_memcopy(stream->device, (char *)staging->address + place,
                       (const char *)source + done, piece);
        atomic_fetch_add(&stream->device->statistics.bytes_staged, piece);
        TN_TRY(vulkan_record_copy(stream, buffer, offset + done, staging, place, piece, &use, 1));
        done += piece;
        if (done < size) {
            TN_TRY(vulkan_stream_flush(stream));
        }
    }
    return TN_OK;
}

/* From the host's own pages. All of it is over at return, as the pages are the caller's. */
static tn_status upload_pages(vulkan_stream *stream, vulkan_buffer *buffer, uint64_t offset,
                              const char *source, uint64_t size) {
    for (uint64_t done = 0; done < size;) {
        const uint64_t piece = size - done < import_piece ? size - done : import_piece;
        vulkan_buffer *pages = vulkan_import(stream->device, source + done, piece);
        if (pages == NULL) {
            TN_TRY(upload_by_ring(stream, buffer, offset + done, source + done, piece));
        } else {
            const vulkan_use uses[] = {{pages, 0, piece, TN_ACCESS_READ},
                                       {buffer, offset + done, piece, TN_ACCESS_WRITE}};
            const tn_status status =
                vulkan_record_copy(stream, buffer, offset + done, pages, 0, piece, uses, 2);
            vulkan_free(stream->device, pages);
            TN_TRY(status);
            TN_TRY(vulkan_stream_flush(stream));
        }
        done += piece;
    }
    TN_TRY(vulkan_stream_flush(stream));
    return vulkan_stream_wait_value(stream, atomic_load(&stream->submitted), UINT64_MAX);
}

static tn_status upload_here(vulkan_stream *stream, vulkan_buffer *buffer, uint64_t offset,
                             const char *source, uint64_t size) {
    vulkan_pages pages;
    if (!vulkan_import_pages(stream->device, source, size, &pages)) {
        return upload_by_ring(stream, buffer, offset, source, size);
    }
    const uint64_t end = pages.begin + pages.size;
    TN_TRY(upload_by_ring(stream, buffer, offset, source, pages.begin));
    TN_TRY(upload_by_ring(stream, buffer, offset + end, source + end, size - end));
    return upload_pages(stream, buffer, offset + pages.begin, source + pages.begin, pages.size);
}

tn_status vulkan_upload(vulkan_stream *stream, vulkan_buffer *buffer, uint64_t offset,
                        const void *source, uint64_t size) {
    vulkan_stream *lane = vulkan_lane_for_upload(stream, buffer, size);
    if (lane == NULL) {
        return upload_here(stream, buffer, offset, source, size);
    }
    uint64_t ticket;
    TN_TRY(upload_here(lane, buffer, offset, source, size));
    TN_TRY(vulkan_submit(lane, &ticket));
    return vulkan_wait_stream(stream, lane, ticket); /* what comes after needs the bytes */
}

/* The copy of one piece into staging memory; the batch takes it on from there. */
tn_status vulkan_record_readback(vulkan_stream *stream, vulkan_buffer *buffer, uint64_t offset,
                                 void *target, uint64_t size, vulkan_buffer *staging,
                                 uint64_t place) {
    const vulkan_use uses[] = {{buffer, offset, size, TN_ACCESS_READ},
                               {staging, place, size, TN_ACCESS_WRITE}};
    vulkan_batch *batch;
    TN_TRY(vulkan_stream_batch(stream, &batch));
    if (!VULKAN_LIST_RESERVE(&batch->readbacks)) {
        return vulkan_fail_list(stream->device);
    }
    VkCommandBuffer commands;
    const VkBufferCopy region = {
        .srcOffset = buffer->offset + offset,
        .dstOffset = staging->offset + place,
        .size = size,
    };
    TN_TRY(vulkan_stream_begin(stream, uses, 2, VK_PIPELINE_STAGE_TRANSFER_BIT, &commands));
    stream->device->vk.CmdCopyBuffer(commands, buffer->handle, staging->handle, 1, &region);
    batch->readbacks.at[batch->readbacks.count++] = (vulkan_readback){staging, place, target, size};
    return vulkan_stream_end(stream, size);
}

static tn_status download_by_ring(vulkan_stream *stream, void *target, vulkan_buffer *buffer,
                                  uint64_t offset, uint64_t size) {
    const uint64_t most = vulkan_ring_piece(size);
    for (uint64_t done = 0; done < size;) {
        const uint64_t piece = size - done < most ? size - done : most;
        vulkan_buffer *staging;
        uint64_t place;
        TN_TRY(vulkan_ring_take(stream, TN_MEMORY_READBACK, piece, &staging, &place));
        TN_TRY(vulkan_record_readback(stream, buffer, offset + done, (char *)target + done, piece,
                                      staging, place));
        done += piece;
        if (done < size) {
            TN_TRY(vulkan_stream_flush(stream));
        }
    }
    return TN_OK;
}

/* Into the host's own pages. */
static tn_status download_pages(vulkan_stream *stream, char *target, vulkan_buffer *buffer,
                                uint64_t offset, uint64_t size) {
    for (uint64_t done = 0; done < size;) {
        const uint64_t piece = size - done < import_piece ? size - done : import_piece;
        vulkan_buffer *pages = vulkan_import(stream->device, target + done, piece);
        if (pages == NULL) {
            TN_TRY(download_by_ring(stream, target + done, buffer, offset + done, piece));
        } else {
            const vulkan_use uses[] = {{buffer, offset + done, piece, TN_ACCESS_READ},
                                       {pages, 0, piece, TN_ACCESS_WRITE}};
            const tn_status status =
                vulkan_record_copy(stream, pages, 0, buffer, offset + done, piece, uses, 2);
            vulkan_free(stream->device, pages);
            TN_TRY(status);
            TN_TRY(vulkan_stream_flush(stream));
        }
        done += piece;
    }
    return TN_OK;
}

static tn_status download_here(vulkan_stream *stream, void *target, vulkan_buffer *buffer,
                               uint64_t offset, uint64_t size) {
    vulkan_pages pages;
    if (!vulkan_import_pages(stream->device, target, size, &pages)) {
        return download_by_ring(stream, target, buffer, offset, size);
    }
    char *bytes = target;
    const uint64_t end = pages.begin + pages.size;
    TN_TRY(download_pages(stream, bytes + pages.begin, buffer, offset + pages.begin, pages.size));
    TN_TRY(download_by_ring(stream, bytes, buffer, offset, pages.begin));
    return download_by_ring(stream, bytes + end, buffer, offset + end, size - end);
}

tn_status vulkan_download(vulkan_stream *stream, void *target, vulkan_buffer *buffer,
                          uint64_t offset, uint64_t size) {
    vulkan_stream *lane;
    uint64_t value;
    TN_TRY(vulkan_lane_for_download(stream, size, &lane));
    if (lane == NULL) {
        return download_here(stream, target, buffer, offset, size);
    }
    const tn_status status = download_here(lane, target, buffer, offset, size);
    if (status != TN_OK) { /* no ticket stands for what is on its way to `target` */
        (void)vulkan_stream_flush(lane);
        (void)vulkan_stream_wait_value(lane, atomic_load(&lane->submitted), UINT64_MAX);
        return status;
    }
    TN_TRY(vulkan_submit(lane, &value));
    return vulkan_lane_note_download(stream, value, buffer, offset, size);
}
