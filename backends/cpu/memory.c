/* Aligned memory that is accounted for. */
#include "cpu.h"

#include <stdlib.h>

/* In front of each buffer: free is told neither size nor where the allocation began. */
typedef struct buffer_header {
    void *allocation;
    uint64_t size;
} buffer_header;

/* One cache line, and room for the header. */
enum { LEAST_ALIGNMENT = 64 };

/* From here on a request is compared with what the system has left: the kernel promises more memory
 * than there is, and the process would be killed on first use instead of getting an error. Smaller
 * requests are not worth the reading of a file. */
static const uint64_t checked_size = 256u << 20;

static tn_status fail_memory(cpu_device *device, uint64_t size) {
    uint64_t total, available;
    cpu_machine_memory(&total, &available);
    return tn_fail(device->host, TN_OUT_OF_MEMORY,
                   "the CPU cannot allocate %llu bytes: the machine has %llu, %llu are available, "
                   "and %llu are allocated here",
                   (unsigned long long)size, (unsigned long long)total,
                   (unsigned long long)available,
                   (unsigned long long)atomic_load(&device->allocated));
}

static int is_available(uint64_t size) {
    if (size < checked_size) {
        return 1;
    }
    uint64_t total, available;
    cpu_machine_memory(&total, &available);
    return available == 0 || size <= available; /* 0: the system does not say */
}

static void account(cpu_device *device, uint64_t size) {
    atomic_fetch_add(&device->count, 1);
    const unsigned long long now = atomic_fetch_add(&device->allocated, size) + size;
    unsigned long long peak = atomic_load(&device->peak);
    while (peak < now && !atomic_compare_exchange_weak(&device->peak, &peak, now)) {
    }
}

/* `memory`, what the buffer is for, makes no difference: all of it is the process's memory. */
tn_status cpu_allocate(void *device, uint64_t size, uint64_t alignment, uint32_t memory,
                       void **out_buffer) {
    (void)memory;
    cpu_device *cpu = device;
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        return tn_fail(cpu->host, TN_INVALID_ARGUMENT,
                       "an allocation of %llu bytes aligned to %llu: expected at least 1 byte and "
                       "a power of two",
                       (unsigned long long)size, (unsigned long long)alignment);
    }
    const uint64_t front = alignment < LEAST_ALIGNMENT ? LEAST_ALIGNMENT : alignment;
    if (size > PTRDIFF_MAX || front > PTRDIFF_MAX / 4 || size > PTRDIFF_MAX - 2 * front ||
        !is_available(size)) {
        return fail_memory(cpu, size);
    }
    const uint64_t rounded = (size + front - 1) & ~(front - 1);
    char *allocation = aligned_alloc(front, front + rounded);
    if (allocation == NULL) {
        return fail_memory(cpu, size);
    }
    buffer_header *header = (buffer_header *)(void *)(allocation + front) - 1;
    *header = (buffer_header){allocation, size};
    account(cpu, size);
    *out_buffer = allocation + front;
    return TN_OK;
}

void cpu_free(void *device, void *buffer) {
    cpu_device *cpu = device;
    if (buffer == NULL) {
        return;
    }
    const buffer_header *header = (const buffer_header *)buffer - 1;
    atomic_fetch_sub(&cpu->allocated, header->size);
    atomic_fetch_sub(&cpu->count, 1);
    free(header->allocation);
}

tn_status cpu_map(void *device, void *buffer, void **out_address) {
    (void)device;
    *out_address = buffer;
    return TN_OK;
}

tn_status cpu_memory_usage(void *device, tn_memory_usage *out_usage) {
    cpu_device *cpu = device;
    if (!TN_HAS_FIELD(tn_memory_usage, out_usage, count)) {
        return tn_fail(cpu->host, TN_INVALID_ARGUMENT,
                       "memory_usage: struct_size is %u, expected at least %u",
                       (unsigned)out_usage->struct_size, (unsigned)TN_MEMORY_USAGE_SIZE);
    }
    cpu_machine_memory(&out_usage->total, &out_usage->free);
    out_usage->reserved = 0;
    out_usage->allocated = atomic_load(&cpu->allocated);
    out_usage->peak = atomic_load(&cpu->peak);
    out_usage->count = atomic_load(&cpu->count);
    return TN_OK;
}
