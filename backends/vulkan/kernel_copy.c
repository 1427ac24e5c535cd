/*
 * Large copies within a device by a compute kernel. A copy command goes through an engine that may
 * be far slower than the memory: where the device has memory of its own, both ways are timed when
 * it is opened, and the faster is taken.
 */
#include <stdlib.h>
#include <time.h>

#include "kernels.h"

#ifdef TENON_VULKAN_HAS_COPY_KERNEL

static const uint32_t code[] =
#include <kernel_copy.inc>
    ;

enum { ELEMENT = 16, WORKGROUP = 256, STEPS = 4, GROUP_BYTES = ELEMENT * WORKGROUP * STEPS };

typedef struct copy_range {
    uint32_t target_begin;
    uint32_t source_begin;
    uint32_t count;
} copy_range;

typedef struct vulkan_copier {
    void *module;
    void *kernel;
} vulkan_copier;

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Bytes of one launch, and what lies before an offset that a binding may begin at. */
static uint64_t chunk_size(const vulkan_device *device, uint64_t alignment) {
    const uint64_t groups = device->physical->properties.limits.maxComputeWorkGroupCount[0];
    const uint64_t most = least(device->kernels->max_binding_size, (uint64_t)128 << 20);
    return least((most - alignment) / GROUP_BYTES, groups) * GROUP_BYTES;
}

static tn_status copy_by_kernel(vulkan_stream *stream, vulkan_buffer *target,
                                uint64_t target_offset, vulkan_buffer *source,
                                uint64_t source_offset, uint64_t size) {
    const vulkan_device *device = vulkan_stream_device(stream);
    const vulkan_copier *copier = device->kernels->copier;
    const uint64_t minimum = device->physical->properties.limits.minStorageBufferOffsetAlignment;
    const uint64_t alignment = minimum > ELEMENT ? minimum : (uint64_t)ELEMENT;
    const uint64_t chunk = chunk_size(device, alignment);
    for (uint64_t done = 0; done < size; done += chunk) {
        const uint64_t bytes = least(chunk, size - done);
        const uint64_t to = target_offset + done, from = source_offset + done;
        const copy_range range = {
            .target_begin = (uint32_t)(to % alignment / ELEMENT),
            .source_begin = (uint32_t)(from % alignment / ELEMENT),
            .count = (uint32_t)(bytes / ELEMENT),
        };
        const tn_binding bindings[] = {
            {target, to - to % alignment, bytes + to % alignment},
            {source, from - from % alignment, bytes + from % alignment},
        };
        const uint32_t groups[] = {(uint32_t)((bytes + GROUP_BYTES - 1) / GROUP_BYTES), 1, 1};
        TN_TRY(vulkan_launch(stream, copier->kernel, groups, bindings, 2, &range, sizeof range));
    }
    return TN_OK;
}

/* ---- Choosing ---- */

typedef tn_status copy_way(vulkan_stream *stream, vulkan_buffer *target, uint64_t target_offset,
                           vulkan_buffer *source, uint64_t source_offset, uint64_t size);

/* vulkan_copy, while no kernel is chosen. */
static tn_status copy_by_command(vulkan_stream *stream, vulkan_buffer *target,
                                 uint64_t target_offset, vulkan_buffer *source,
                                 uint64_t source_offset, uint64_t size) {
    return vulkan_copy(stream, target, target_offset, source, source_offset, size);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static tn_status time_copies(vulkan_stream *stream, copy_way *way, vulkan_buffer *target,
                             vulkan_buffer *source, uint32_t count, uint64_t *out_ns) {
    uint64_t ticket;
    const uint64_t begin = now_ns();
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(way(stream, target, 0, source, 0, source->size));
    }
    TN_TRY(vulkan_submit(stream, &ticket));
    TN_TRY(vulkan_wait(stream, ticket, UINT64_MAX));
    *out_ns = now_ns() - begin;
    return TN_OK;
}

/* The best of three runs each, after one that counts for nothing. */
static tn_status compare(vulkan_stream *stream, vulkan_buffer *target, vulkan_buffer *source,
                         int *out_kernel_is_faster) {
    enum { COPIES = 4, RUNS = 3 };
    uint64_t *rates = vulkan_stream_device(stream)->kernels->copy_rates;
    copy_way *const ways[] = {copy_by_command, copy_by_kernel};
    uint64_t best[2] = {UINT64_MAX, UINT64_MAX};
    for (uint32_t run = 0; run <= RUNS; run++) {
        for (uint32_t way = 0; way < 2; way++) {
            uint64_t ns;
            TN_TRY(time_copies(stream, ways[way], target, source, COPIES, &ns));
            best[way] = run == 0 ? UINT64_MAX : least(best[way], ns);
        }
    }
    for (uint32_t way = 0; way < 2; way++) {
        rates[way] = (uint64_t)((double)(COPIES * source->size) * 1e9 / (double)(best[way] + 1));
    }
    *out_kernel_is_faster = best[1] + best[1] / 8 < best[0];
    return TN_OK;
}

static tn_status choose(vulkan_device *device, int *out_kernel_is_faster) {
    const uint64_t size = (uint64_t)64 << 20;
    void *stream = NULL, *target = NULL, *source = NULL;
    tn_status status = vulkan_create_stream(device, &stream);
    if (status == TN_OK) {
        status = vulkan_allocate(device, size, ELEMENT, TN_MEMORY_DEVICE, &target);
    }
    if (status == TN_OK) {
        status = vulkan_allocate(device, size, ELEMENT, TN_MEMORY_DEVICE, &source);
    }
    if (status == TN_OK) {
        status = compare(stream, target, source, out_kernel_is_faster);
    }
    if (stream != NULL) {
        vulkan_destroy_stream(device, stream);
    }
    vulkan_free(device, target);
    vulkan_free(device, source);
    return status;
}

static tn_status create_copier(vulkan_device *device, vulkan_copier *copier) {
    static const uint32_t access[] = {TN_ACCESS_WRITE, TN_ACCESS_READ};
    const tn_device_kernel_desc desc = {
        .struct_size = TN_DEVICE_KERNEL_DESC_SIZE,
        .binding_count = 2,
        .entry_point = "main",
        .access = access,
        .push_size = sizeof(copy_range),
        .workgroup_size = {WORKGROUP, 1, 1},
    };
    TN_TRY(vulkan_create_module(device, code, sizeof code, &copier->module));
    return vulkan_create_kernel(device, copier->module, &desc, &copier->kernel);
}

tn_status vulkan_kernel_copy_create(vulkan_device *device) {
    vulkan_copier *copier = calloc(1, sizeof *copier);
    if (copier == NULL) {
        return tn_fail(device->host, TN_OUT_OF_MEMORY, "no memory to copy by a kernel: %zu bytes",
                       sizeof *copier);
    }
    device->kernels->copier = copier;
    TN_TRY(create_copier(device, copier));
    device->kernel_copy = copy_by_kernel;
    return TN_OK;
}

tn_status vulkan_kernel_copy_open(vulkan_device *device) {
    int is_faster = 0;
    const VkPhysicalDeviceType type = device->physical->properties.deviceType;
    if (!VULKAN_HAS(device->features, KERNEL_COPY) ||
        type != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU) {
        return TN_OK;
    }
    tn_status status = vulkan_kernel_copy_create(device);
    device->kernel_copy = NULL; /* so that the other way is what vulkan_copy takes */
    if (status == TN_OK) {
        status = choose(device, &is_faster);
    }
    if (status == TN_OK && is_faster) {
        device->kernel_copy = copy_by_kernel;
        return TN_OK;
    }
    vulkan_kernel_copy_close(device);
    /* Copies work without, unless the device is gone. */
    return status == TN_DEVICE_LOST ? status : TN_OK;
}

void vulkan_kernel_copy_close(vulkan_device *device) {
    vulkan_copier *copier = device->kernels->copier;
    device->kernel_copy = NULL;
    device->kernels->copier = NULL;
    if (copier != NULL) {
        vulkan_destroy_kernel(device, copier->kernel);
        vulkan_destroy_module(device, copier->module);
        free(copier);
    }
}

#else

tn_status vulkan_kernel_copy_create(vulkan_device *device) {
    return tn_fail(device->host, TN_UNSUPPORTED, "copying by a kernel was not built");
}

tn_status vulkan_kernel_copy_open(vulkan_device *device) {
    (void)device;
    return TN_OK;
}

void vulkan_kernel_copy_close(vulkan_device *device) {
    (void)device;
}

#endif
