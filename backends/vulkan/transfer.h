/*
 * The ways of bytes between host and device: through the staging ring; from the host's own pages,
 * where the device can read them and too few threads are there to copy; on a lane beside the
 * stream's own work.
 */
#ifndef TENON_BACKENDS_VULKAN_TRANSFER_H
#define TENON_BACKENDS_VULKAN_TRANSFER_H

#include "stream.h"

/* Whether no work uses the buffer, on any stream. */
int vulkan_is_unused(vulkan_stream *stream, const vulkan_buffer *buffer);

/* `source` may be reused at return. Not while a recording is made. */
tn_status vulkan_upload(vulkan_stream *stream, vulkan_buffer *buffer, uint64_t offset,
                        const void *source, uint64_t size);
/* `target` is valid when the ticket is complete. Not while a recording is made. */
tn_status vulkan_download(vulkan_stream *stream, void *target, vulkan_buffer *buffer,
                          uint64_t offset, uint64_t size);

/* One copy command between buffers. */
tn_status vulkan_record_copy(vulkan_stream *stream, vulkan_buffer *target, uint64_t target_offset,
                             vulkan_buffer *source, uint64_t source_offset, uint64_t size,
                             const vulkan_use *uses, uint32_t use_count);
/* The copy of one piece into staging memory; the batch takes it on from there. */
tn_status vulkan_record_readback(vulkan_stream *stream, vulkan_buffer *buffer, uint64_t offset,
                                 void *target, uint64_t size, vulkan_buffer *staging,
                                 uint64_t place);

/* host_import.c: the part of host memory that can be imported in whole pages, at least `least`
 * bytes of it; 0 when there is none, or the device cannot, or threads copy faster. */
typedef struct vulkan_pages {
    uint64_t begin; /* from the address asked about */
    uint64_t size;
} vulkan_pages;

int vulkan_import_pages(const vulkan_device *device, const void *address, uint64_t size,
                        vulkan_pages *out_pages);
/* A buffer over pages of the host. NULL where the driver will not: another way must be taken. */
vulkan_buffer *vulkan_import(vulkan_device *device, const void *address, uint64_t size);

#endif
