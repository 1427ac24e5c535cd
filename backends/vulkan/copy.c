/* Copies and fills. */
#include "heap.h"
#include "memcopy.h"
#include "stream.h"
#include "transfer.h"

/* Over a bus the host writes single words well and long runs less well than the device reads. */
static const uint64_t most_written_over_bus = 64u << 10;

/* From here on a compute kernel may be worth its launch. */
static const uint64_t least_kernel_copy = 1u << 20;

/* Whether the host may touch the buffer now: no work that uses it is recorded or runs, on any
 * stream. What waits between streams there may be, it is over then. */
static int is_idle(vulkan_stream *stream, const vulkan_buffer *buffer) {
    if (buffer->address == NULL || stream->recording != NULL) {
        return 0;
    }
    return vulkan_is_unused(stream, buffer);
}

static int may_write(vulkan_stream *stream, const vulkan_buffer *buffer, uint64_t size) {
    const int over_bus =
        buffer->memory == TN_MEMORY_DEVICE && !VULKAN_HAS(stream->device->features, UNIFIED);
    return (!over_bus || size <= most_written_over_bus) && is_idle(stream, buffer);
}

static tn_status write_direct(vulkan_buffer *buffer, uint64_t offset, const void *source,
                              uint64_t size) {
    vulkan_device *device = buffer->device;
    vulkan_memcopy(device, (char *)buffer->address + offset, source, size);
    atomic_fetch_add(&device->statistics.bytes_direct, size);
    const VkResult result = vulkan_buffer_flush(buffer);
    return result == VK_SUCCESS ? TN_OK : vulkan_fail(device, "vkFlushMappedMemoryRanges", result);
}

/* What a recording copies from the host it copies each time it runs: it keeps the bytes. */
static tn_status record_constant(vulkan_stream *stream, vulkan_buffer *buffer, uint64_t offset,
                                 const void *source, uint64_t size) {
    vulkan_device *device = stream->device;
    void *handle;
    TN_TRY(vulkan_allocate(device, size, 1, TN_MEMORY_UPLOAD, &handle));
    vulkan_buffer *kept = handle;
    vulkan_memcopy(device, kept->address, source, size);
    const vulkan_use uses[] = {{kept, 0, size, TN_ACCESS_READ},
                               {buffer, offset, size, TN_ACCESS_WRITE}};
    const tn_status status = vulkan_record_copy(stream, buffer, offset, kept, 0, size, uses, 2);
    vulkan_free(device, kept);
    return status;
}

tn_status vulkan_copy_from_host(void *stream, void *buffer, uint64_t offset, const void *source,
                                uint64_t size) {
    vulkan_stream *vulkan = stream;
    TN_TRY(vulkan_require_alive(vulkan->device));
    if (size == 0) {
        return TN_OK;
    }
    TN_TRY(vulkan_buffer_check(buffer, "copy from the host", offset, size));
    if (vulkan->recording != NULL) {
        return record_constant(vulkan, buffer, offset, source, size);
    }
    if (may_write(vulkan, buffer, size)) {
        return write_direct(buffer, offset, source, size);
    }
    return vulkan_upload(vulkan, buffer, offset, source, size);
}

static tn_status read_direct(vulkan_buffer *buffer, uint64_t offset, void *target, uint64_t size) {
    vulkan_device *device = buffer->device;
    const VkResult result = vulkan_buffer_invalidate(buffer);
    if (result != VK_SUCCESS) {
        return vulkan_fail(device, "vkInvalidateMappedMemoryRanges", result);
    }
    vulkan_memcopy(device, target, (const char *)buffer->address + offset, size);
    atomic_fetch_add(&device->statistics.bytes_direct, size);
    return TN_OK;
}

/* A recording reads back through memory of its own. */
static tn_status record_download(vulkan_stream *stream, void *target, vulkan_buffer *buffer,
                                 uint64_t offset, uint64_t size) {
    void *staging;
    TN_TRY(vulkan_allocate(stream->device, size, 1, TN_MEMORY_READBACK, &staging));
    const tn_status status =
        vulkan_record_readback(stream, buffer, offset, target, size, staging, 0);
    vulkan_free(stream->device, staging);
    return status;
}

tn_status vulkan_copy_to_host(void *stream, void *target, const void *buffer, uint64_t offset,
                              uint64_t size) {
    vulkan_stream *vulkan = stream;
    vulkan_buffer *source = (vulkan_buffer *)(uintptr_t)buffer; /* counted, not written to */
    TN_TRY(vulkan_require_alive(vulkan->device));
    if (size == 0) {
        return TN_OK;
    }
    TN_TRY(vulkan_buffer_check(source, "copy to the host", offset, size));
    if (vulkan->recording != NULL) {
        return record_download(vulkan, target, source, offset, size);
    }
    if (source->is_host_read && source->memory != TN_MEMORY_UPLOAD && is_idle(vulkan, source)) {
        return read_direct(source, offset, target, size);
    }
    return vulkan_download(vulkan, target, source, offset, size);
}

static tn_status check_copy(const vulkan_buffer *target, uint64_t target_offset,
                            const vulkan_buffer *source, uint64_t source_offset, uint64_t size) {
    TN_TRY(vulkan_buffer_check(target, "target of a copy", target_offset, size));
    TN_TRY(vulkan_buffer_check(source, "source of a copy", source_offset, size));
    if (target == source && target_offset < source_offset + size &&
        source_offset < target_offset + size) {
        return tn_fail(target->device->host, TN_INVALID_ARGUMENT,
                       "copy of %llu bytes from offset %llu to %llu of one buffer: they overlap",
                       (unsigned long long)size, (unsigned long long)source_offset,
                       (unsigned long long)target_offset);
    }
    return TN_OK;
}

tn_status vulkan_copy(void *stream, void *target, uint64_t target_offset, const void *source,
                      uint64_t source_offset, uint64_t size) {
    vulkan_stream *vulkan = stream;
    vulkan_buffer *to = target;
    vulkan_buffer *from = (vulkan_buffer *)(uintptr_t)source; /* counted, not written to */
    TN_TRY(vulkan_require_alive(vulkan->device));
    if (size == 0) {
        return TN_OK;
    }
    TN_TRY(check_copy(to, target_offset, from, source_offset, size));
    if (vulkan->device->kernel_copy != NULL && size >= least_kernel_copy &&
        ((target_offset | source_offset) & 15) == 0 && to->memory == TN_MEMORY_DEVICE &&
        from->memory == TN_MEMORY_DEVICE) {
        const uint64_t whole = size & ~(uint64_t)15;
        TN_TRY(vulkan->device->kernel_copy(vulkan, to, target_offset, from, source_offset, whole));
        target_offset += whole;
        source_offset += whole;
        size -= whole;
    }
    if (size == 0) {
        return TN_OK;
    }
    const vulkan_use uses[] = {{from, source_offset, size, TN_ACCESS_READ},
                               {to, target_offset, size, TN_ACCESS_WRITE}};
    return vulkan_record_copy(vulkan, to, target_offset, from, source_offset, size, uses, 2);
}

tn_status vulkan_fill(void *stream, void *buffer, uint64_t offset, uint64_t size,
                      uint32_t pattern) {
    vulkan_stream *vulkan = stream;
    vulkan_buffer *filled = buffer;
    TN_TRY(vulkan_require_alive(vulkan->device));
    if (offset % sizeof pattern != 0 || size % sizeof pattern != 0) {
        return tn_fail(vulkan->device->host, TN_INVALID_ARGUMENT,
                       "fill of %llu bytes at offset %llu: expected multiples of 4",
                       (unsigned long long)size, (unsigned long long)offset);
    }
    if (size == 0) {
        return TN_OK;
    }
    TN_TRY(vulkan_buffer_check(filled, "fill", offset, size));
    const vulkan_use use = {filled, offset, size, TN_ACCESS_WRITE};
    VkCommandBuffer commands;
    TN_TRY(vulkan_stream_begin(vulkan, &use, 1, VK_PIPELINE_STAGE_TRANSFER_BIT, &commands));
    vulkan->device->vk.CmdFillBuffer(commands, filled->handle, filled->offset + offset, size,
                                     pattern);
    return vulkan_stream_end(vulkan, size);
}
