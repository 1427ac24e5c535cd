/* Streams of a device that does everything at once: each call has done its work when it returns. */
#include "cpu.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

tn_status cpu_create_stream(void *device, void **out_stream) {
    cpu_device *cpu = device;
    cpu_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return tn_fail(cpu->host, TN_OUT_OF_MEMORY, "no memory for a stream: %zu bytes",
                       sizeof *stream);
    }
    stream->device = cpu;
    *out_stream = stream;
    return TN_OK;
}

void cpu_destroy_stream(void *device, void *stream) {
    (void)device;
    free(stream);
}

tn_status cpu_copy_from_host(void *stream, void *buffer, uint64_t offset, const void *source,
                             uint64_t size) {
    return cpu_copy(stream, buffer, offset, source, 0, size);
}

tn_status cpu_copy_to_host(void *stream, void *target, const void *buffer, uint64_t offset,
                           uint64_t size) {
    return cpu_copy(stream, target, 0, buffer, offset, size);
}

tn_status cpu_copy(void *stream, void *target, uint64_t target_offset, const void *source,
                   uint64_t source_offset, uint64_t size) {
    (void)stream;
    if (size > 0) { /* the pointers of an empty copy may be NULL */
        memmove((char *)target + target_offset, (const char *)source + source_offset, size);
    }
    return TN_OK;
}

tn_status cpu_fill(void *stream, void *buffer, uint64_t offset, uint64_t size, uint32_t pattern) {
    cpu_stream *cpu = stream;
    if (offset % sizeof pattern != 0 || size % sizeof pattern != 0) {
        return tn_fail(cpu->device->host, TN_INVALID_ARGUMENT,
                       "fill of %llu bytes at offset %llu: expected multiples of 4",
                       (unsigned long long)size, (unsigned long long)offset);
    }
    char *at = (char *)buffer + offset;
    for (uint64_t done = 0; done < size; done += sizeof pattern) {
        memcpy(at + done, &pattern, sizeof pattern);
    }
    return TN_OK;
}

tn_status cpu_submit(void *stream, uint64_t *out_ticket) {
    cpu_stream *cpu = stream;
    *out_ticket = atomic_fetch_add(&cpu->last_ticket, 1) + 1;
    return TN_OK;
}

/* A ticket that was given is complete; one that never was would be waited for in vain. */
tn_status cpu_wait(void *stream, uint64_t ticket, uint64_t timeout_ns) {
    (void)timeout_ns;
    cpu_stream *cpu = stream;
    const uint64_t last = atomic_load(&cpu->last_ticket);
    if (ticket > last) {
        return tn_fail(cpu->device->host, TN_INVALID_ARGUMENT,
                       "ticket %llu was never given: the stream's last is %llu",
                       (unsigned long long)ticket, (unsigned long long)last);
    }
    return TN_OK;
}

tn_status cpu_wait_stream(void *stream, void *other, uint64_t ticket) {
    (void)stream;
    return cpu_wait(other, ticket, 0);
}

static tn_status require_slot(const cpu_stream *stream, uint32_t slot) {
    if (slot >= CPU_TIME_SLOTS) {
        return tn_fail(stream->device->host, TN_OUT_OF_RANGE,
                       "time stamp slot %u: expected 0 to %d", (unsigned)slot, CPU_TIME_SLOTS - 1);
    }
    return TN_OK;
}

tn_status cpu_write_time(void *stream, uint32_t slot) {
    cpu_stream *cpu = stream;
    struct timespec now;
    TN_TRY(require_slot(cpu, slot));
    clock_gettime(CLOCK_MONOTONIC, &now);
    cpu->times[slot] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return TN_OK;
}

tn_status cpu_read_time(void *stream, uint32_t slot, uint64_t *out_ns) {
    cpu_stream *cpu = stream;
    TN_TRY(require_slot(cpu, slot));
    if (cpu->times[slot] == 0) {
        return tn_fail(cpu->device->host, TN_FAILED_PRECONDITION,
                       "time stamp slot %u holds nothing: write_time comes first", (unsigned)slot);
    }
    *out_ns = cpu->times[slot];
    return TN_OK;
}
