/*
 * Launches. Everything is checked before anything is recorded: drivers take grids beyond their
 * limits and ranges beyond their buffers without a word.
 */
#include <stdlib.h>

#include "kernels.h"

/* ---- The grid ---- */

/* The least number of parts, none larger than `limit`, that `count` comes apart into exactly. */
static uint32_t split(uint32_t count, uint32_t limit, uint32_t most_parts) {
    for (uint32_t parts = (count - 1) / limit + 1; parts <= most_parts; parts++) {
        if (count % parts == 0) {
            return parts;
        }
        if (parts > count / 2) { /* what follows is `count` itself */
            break;
        }
    }
    return 0;
}

int vulkan_fold_groups(uint32_t groups[3], const uint32_t limits[3]) {
    if (groups[1] != 1 || groups[2] != 1) {
        return 0;
    }
    const uint32_t parts = split(groups[0], limits[0], limits[1]);
    if (parts == 0) {
        return 0;
    }
    groups[0] /= parts;
    groups[1] = parts;
    return 1;
}

static tn_status check_groups(const vulkan_kernel *kernel, uint32_t groups[3]) {
    const vulkan_device *device = kernel->device;
    const uint32_t *limits = device->physical->properties.limits.maxComputeWorkGroupCount;
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (groups[axis] <= limits[axis]) {
            continue;
        }
        if (axis == 0 && kernel->folds && vulkan_fold_groups(groups, limits)) {
            return TN_OK;
        }
        return tn_fail(device->host, TN_UNSUPPORTED,
                       "kernel '%s': %u workgroups on axis %u, the device takes %u "
                       "(maxComputeWorkGroupCount)%s",
                       kernel->entry_point, (unsigned)groups[axis], (unsigned)axis,
                       (unsigned)limits[axis],
                       axis > 0        ? ""
                       : kernel->folds ? ", and they do not come apart into even rows"
                                       : ", and the kernel does not read gl_NumWorkGroups and axis "
                                         "y, by which they could be folded");
    }
    return TN_OK;
}

/* ---- Bindings ---- */

static tn_status check_binding(const vulkan_kernel *kernel, uint32_t number,
                               const tn_binding *binding) {
    const vulkan_device *device = kernel->device;
    const vulkan_buffer *buffer = binding->buffer;
    const uint64_t alignment = device->physical->properties.limits.minStorageBufferOffsetAlignment;
    if (buffer == NULL || buffer->device != device) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT, "kernel '%s': binding %u is %s",
                       kernel->entry_point, (unsigned)number,
                       buffer == NULL ? "NULL" : "a buffer of another device");
    }
    if (binding->offset > buffer->size || binding->size > buffer->size - binding->offset) {
        return tn_fail(device->host, TN_OUT_OF_RANGE,
                       "kernel '%s': binding %u takes %llu bytes from %llu on, the buffer has %llu",
                       kernel->entry_point, (unsigned)number, (unsigned long long)binding->size,
                       (unsigned long long)binding->offset, (unsigned long long)buffer->size);
    }
    if (binding->offset % alignment != 0) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "kernel '%s': binding %u begins at byte %llu, the device takes multiples of "
                       "%llu",
                       kernel->entry_point, (unsigned)number, (unsigned long long)binding->offset,
                       (unsigned long long)alignment);
    }
    if (binding->size > device->kernels->max_binding_size) {
        return tn_fail(device->host, TN_UNSUPPORTED,
                       "kernel '%s': binding %u takes %llu bytes, the device binds %llu "
                       "(maxStorageBufferRange)",
                       kernel->entry_point, (unsigned)number, (unsigned long long)binding->size,
                       (unsigned long long)device->kernels->max_binding_size);
    }
    return TN_OK;
}

/* What the commands need to know of the buffers. */
typedef struct bound_buffers {
    vulkan_use uses[SPIRV_MAX_BINDINGS];
    VkDescriptorBufferInfo buffers[SPIRV_MAX_BINDINGS + 1];
    uint32_t use_count;
    uint64_t work; /* bytes */
} bound_buffers;

/* Ranges are rounded up to whole words, which buffers are made of: a kernel that reads bytes by the
 * word sees the last ones. */
static void take_binding(const vulkan_kernel *kernel, uint32_t number, const tn_binding *binding,
                         bound_buffers *bound) {
    vulkan_buffer *buffer = binding->buffer;
    const uint64_t size = (binding->size + 3) & ~(uint64_t)3;
    bound->buffers[number] =
        (VkDescriptorBufferInfo){buffer->handle, buffer->offset + binding->offset, size};
    bound->uses[bound->use_count++] =
        (vulkan_use){buffer, binding->offset, size, kernel->access[number]};
    bound->work += size;
}

/* No bytes cannot be bound: another binding stands in, which the kernel does not look at there. */
static void fill_gaps(const tn_binding *bindings, uint32_t count, bound_buffers *bound) {
    uint32_t filled = 0;
    while (filled < count && bindings[filled].size == 0) {
        filled++;
    }
    for (uint32_t i = 0; i < count && filled < count; i++) {
        if (bindings[i].size == 0) {
            bound->buffers[i] = bound->buffers[filled];
        }
    }
}

static tn_status take_bindings(const vulkan_kernel *kernel, const tn_binding *bindings,
                               uint32_t count, bound_buffers *bound) {
    bound->use_count = 0;
    bound->work = 0;
    if (count != kernel->binding_count || (count > 0 && bindings == NULL)) {
        return tn_fail(kernel->device->host, TN_INVALID_ARGUMENT,
                       "kernel '%s': %u bindings given, it has %u", kernel->entry_point,
                       (unsigned)count, (unsigned)kernel->binding_count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (bindings[i].size > 0) {
            TN_TRY(check_binding(kernel, i, &bindings[i]));
            take_binding(kernel, i, &bindings[i], bound);
        }
    }
    fill_gaps(bindings, count, bound);
    return TN_OK;
}

/* ---- Recording ---- */

/* vulkan_release: a command buffer that uses the kernel is gone. */
static void release_kernel(void *context, void *object) {
    (void)context;
    vulkan_kernel_release(object);
}

/* Once for each command buffer, as far as one can tell without asking. */
static tn_status keep_kernel(vulkan_stream *stream, vulkan_kernel *kernel, uint64_t commands) {
    if (atomic_load_explicit(&kernel->commands, memory_order_relaxed) == commands) {
        return TN_OK;
    }
    vulkan_kernel_retain(kernel);
    const tn_status status = vulkan_stream_defer(stream, release_kernel, NULL, kernel);
    if (status != TN_OK) {
        vulkan_kernel_release(kernel);
        return status;
    }
    atomic_store_explicit(&kernel->commands, commands, memory_order_relaxed);
    return TN_OK;
}

static tn_status record(vulkan_stream *stream, vulkan_kernel *kernel, const uint32_t groups[3],
                        bound_buffers *bound, const void *push) {
    vulkan_device *device = kernel->device;
    vulkan_stream_state *state;
    VkCommandBuffer commands;
    TN_TRY(vulkan_stream_begin(stream, bound->uses, bound->use_count,
                               VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, &commands));
    TN_TRY(vulkan_stream_state_of(stream, &state));
    TN_TRY(keep_kernel(stream, kernel, state->commands));
    if (kernel->is_spilled) {
        TN_TRY(vulkan_push_ring_write(stream, state, push, kernel->push_size,
                                      &bound->buffers[kernel->binding_count]));
    }
    TN_TRY(vulkan_bind_buffers(stream, state, commands, kernel->layout, bound->buffers));
    if (state->pipeline != kernel->pipeline) {
        device->vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
        state->pipeline = kernel->pipeline;
    }
    if (kernel->layout->push_size > 0) {
        device->vk.CmdPushConstants(commands, kernel->layout->handle, VK_SHADER_STAGE_COMPUTE_BIT,
                                    0, kernel->layout->push_size, push);
    }
    device->vk.CmdDispatch(commands, groups[0], groups[1], groups[2]);
    atomic_fetch_add_explicit(&device->statistics.dispatches, 1, memory_order_relaxed);
    return vulkan_stream_end(stream, bound->work);
}

tn_status vulkan_launch(void *stream, void *kernel, const uint32_t groups[3],
                        const tn_binding *bindings, uint32_t binding_count, const void *push,
                        uint32_t push_size) {
    vulkan_kernel *launched = kernel;
    vulkan_device *device = vulkan_stream_device(stream);
    uint32_t grid[3] = {groups[0], groups[1], groups[2]};
    bound_buffers bound;
    TN_TRY(vulkan_require_alive(device));
    if (launched->device != device) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "kernel '%s' and the stream are of different devices",
                       launched->entry_point);
    }
    if (push_size != launched->push_size || (push_size > 0 && push == NULL)) {
        return tn_fail(device->host, TN_INVALID_ARGUMENT,
                       "kernel '%s': %u bytes of push constants given, it has %u",
                       launched->entry_point, (unsigned)push_size, (unsigned)launched->push_size);
    }
    TN_TRY(take_bindings(launched, bindings, binding_count, &bound));
    TN_TRY(check_groups(launched, grid));
    /* The stream is in order: nothing needs no place in it. */
    const int is_nothing = grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
    const int sees_nothing = binding_count > 0 && bound.use_count == 0;
    if (is_nothing || sees_nothing) {
        return TN_OK;
    }
    return record(stream, launched, grid, &bound, push);
}
