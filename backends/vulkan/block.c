/* One block of memory: the buffer, the memory its requirements ask for, the mapping. */
#include "heap.h"

#include <stdlib.h>

#include "memory_types.h"

/* Calls of vkAllocateMemory left to others in the process. */
enum { COUNT_RESERVE = 64 };

typedef struct requirements {
    uint64_t size;
    uint32_t types;
    int is_dedicated;
} requirements;

static VkResult create_buffer(vulkan_device *device, uint64_t size, int is_import,
                              VkBuffer *out_buffer) {
    const VkBufferUsageFlags address = VULKAN_HAS(device->features, DEVICE_ADDRESS)
                                           ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT
                                           : 0;
    const uint32_t families[] = {device->queue_family, device->transfer_family};
    const int is_shared = VULKAN_HAS(device->features, TRANSFER_QUEUE) &&
                          device->transfer_family != device->queue_family;
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
    };
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = is_import ? &external : NULL,
        .size = size,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | address,
        .sharingMode = is_shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = is_shared ? 2 : 0,
        .pQueueFamilyIndices = families,
    };
    return VK_CALL(device, CreateBuffer, device->handle, &info, NULL, out_buffer);
}

static requirements requirements_of(vulkan_device *device, VkBuffer buffer) {
    VkMemoryDedicatedRequirements dedicated = {.sType =
                                                   VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
    VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
                                   .pNext = &dedicated};
    const VkBufferMemoryRequirementsInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .buffer = buffer};
    device->vk.GetBufferMemoryRequirements2(device->handle, &info, &needs);
    return (requirements){
        .size = needs.memoryRequirements.size,
        .types = needs.memoryRequirements.memoryTypeBits,
        .is_dedicated =
            dedicated.requiresDedicatedAllocation || dedicated.prefersDedicatedAllocation,
    };
}

static VkResult allocate_type(vulkan_device *device, const requirements *needs, uint32_t type,
                              int is_shared, VkBuffer buffer, VkDeviceMemory *out_memory) {
    const VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .buffer = buffer,
    };
    VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs->size,
        .memoryTypeIndex = type,
    };
    if (!is_shared && needs->is_dedicated && VULKAN_HAS(device->features, DEDICATED)) {
        info.pNext = &dedicated;
    }
    if (VULKAN_HAS(device->features, DEVICE_ADDRESS)) {
        flags.pNext = info.pNext;
        info.pNext = &flags;
    }
    atomic_fetch_add(&device->statistics.memory_allocations, 1);
    return VK_CALL(device, AllocateMemory, device->handle, &info, NULL, out_memory);
}

/* Tries the types in their order. */
static VkResult allocate_memory(vulkan_device *device, const requirements *needs, int is_shared,
                                vulkan_block *block) {
    const VkPhysicalDeviceMemoryProperties *memory = &device->physical->memory;
    uint32_t types[VK_MAX_MEMORY_TYPES];
    const uint32_t count =
        vulkan_memory_types_rank(memory, needs->types, block->kind, device->features, types);
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const VkMemoryType *type = &memory->memoryTypes[types[i]];
        if (needs->size > memory->memoryHeaps[type->heapIndex].size) {
            continue; /* asking for more than there is at all is not allowed */
        }
        result = allocate_type(device, needs, types[i], is_shared, block->buffer, &block->memory);
        if (result == VK_SUCCESS) {
            block->type = types[i];
            block->is_coherent = VULKAN_HAS(device->features, COHERENT) &&
                                 (type->propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
            device->heap->reserved[type->heapIndex] += needs->size;
            device->heap->memory_count++;
            block->size = needs->size;
            return VK_SUCCESS;
        }
        if (vulkan_result_status(result) != TN_OUT_OF_MEMORY) {
            return result;
        }
    }
    return result;
}

static int is_mapped(const vulkan_device *device, const vulkan_block *block) {
    const VkMemoryPropertyFlags flags =
        device->physical->memory.memoryTypes[block->type].propertyFlags;
    return (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0 &&
           (block->kind != TN_MEMORY_DEVICE || VULKAN_HAS(device->features, UNIFIED) ||
            VULKAN_HAS(device->features, REBAR));
}

/* Device memory over a bus is written by the host, but never read: it would take for ever, and the
 * barrier that reading needs costs each submit some 10 µs. */
static int is_host_read(const vulkan_device *device, const vulkan_block *block) {
    const VkMemoryPropertyFlags flags =
        device->physical->memory.memoryTypes[block->type].propertyFlags;
    return block->address != NULL &&
           (block->kind != TN_MEMORY_DEVICE || (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0);
}

static VkResult bind_and_map(vulkan_device *device, uint64_t size, int is_shared,
                             vulkan_block *block, const char **out_call) {
    *out_call = "vkBindBufferMemory";
    VkResult result =
        VK_CALL(device, BindBufferMemory, device->handle, block->buffer, block->memory, 0);
    if (result == VK_SUCCESS && is_mapped(device, block)) {
        *out_call = "vkMapMemory";
        result = VK_CALL(device, MapMemory, device->handle, block->memory, 0, VK_WHOLE_SIZE, 0,
                         &block->address);
    }
    block->is_host_read = (uint32_t)is_host_read(device, block);
    if (result == VK_SUCCESS && is_shared) {
        *out_call = "the table of a block";
        block->ranges = tlsf_create(size);
        result = block->ranges != NULL ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    return result;
}

VkResult vulkan_block_create(vulkan_device *device, uint32_t kind, uint64_t size, int is_shared,
                             vulkan_block **out_block, const char **out_call) {
    const uint32_t limit = device->physical->properties.limits.maxMemoryAllocationCount;
    *out_call = "vkAllocateMemory";
    if (limit > COUNT_RESERVE && device->heap->memory_count >= limit - COUNT_RESERVE) {
        return VK_ERROR_TOO_MANY_OBJECTS;
    }
    vulkan_block *block = calloc(1, sizeof *block);
    if (block == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    block->kind = kind;
    *out_call = "vkCreateBuffer";
    VkResult result = create_buffer(device, size, 0, &block->buffer);
    if (result == VK_SUCCESS) {
        const requirements needs = requirements_of(device, block->buffer);
        *out_call = "vkAllocateMemory";
        result = allocate_memory(device, &needs, is_shared, block);
    } else {
        block->buffer = VK_NULL_HANDLE;
    }
    if (result == VK_SUCCESS) {
        result = bind_and_map(device, size, is_shared, block, out_call);
    } else {
        block->memory = VK_NULL_HANDLE;
    }
    if (result != VK_SUCCESS) {
        vulkan_block_destroy(device, block);
        return result;
    }
    *out_block = block;
    return VK_SUCCESS;
}

void vulkan_block_destroy(vulkan_device *device, vulkan_block *block) {
    tlsf_destroy(block->ranges);
    device->vk.DestroyBuffer(device->handle, block->buffer, NULL);
    if (block->memory != VK_NULL_HANDLE) {
        const uint32_t heap = device->physical->memory.memoryTypes[block->type].heapIndex;
        device->heap->reserved[heap] -= block->size;
        device->heap->memory_count--;
        device->vk.FreeMemory(device->handle, block->memory, NULL); /* unmaps, too */
    }
    free(block);
}

static VkResult import_memory(vulkan_device *device, void *address, uint64_t size,
                              const requirements *needs, vulkan_block *block) {
    const VkExternalMemoryHandleTypeFlagBits handle =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    VkMemoryHostPointerPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VkResult result = VK_CALL(device, GetMemoryHostPointerPropertiesEXT, device->handle, handle,
                              address, &properties);
    const uint32_t types = properties.memoryTypeBits & needs->types;
    uint32_t ranked[VK_MAX_MEMORY_TYPES];
    if (result != VK_SUCCESS || needs->size > size ||
        vulkan_memory_types_rank(&device->physical->memory, types, TN_MEMORY_READBACK,
                                 device->features, ranked) == 0) {
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    }
    const VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = handle,
        .pHostPointer = address,
    };
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .pNext = &import,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = VULKAN_HAS(device->features, DEVICE_ADDRESS) ? (const void *)&flags
                                                              : (const void *)&import,
        .allocationSize = size,
        .memoryTypeIndex = ranked[0],
    };
    result = VK_CALL(device, AllocateMemory, device->handle, &info, NULL, &block->memory);
    if (result == VK_SUCCESS) {
        block->type = ranked[0];
        device->heap->memory_count++;
    } else {
        block->memory = VK_NULL_HANDLE;
    }
    return result;
}

VkResult vulkan_block_import(vulkan_device *device, void *address, uint64_t size,
                             vulkan_block **out_block) {
    vulkan_block *block = calloc(1, sizeof *block);
    if (block == NULL) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    block->kind = TN_MEMORY_UPLOAD; /* and `size` 0: it takes none of the heap's bytes */
    VkResult result = create_buffer(device, size, 1, &block->buffer);
    if (result == VK_SUCCESS) {
        const requirements needs = requirements_of(device, block->buffer);
        result = import_memory(device, address, size, &needs, block);
    } else {
        block->buffer = VK_NULL_HANDLE;
    }
    if (result == VK_SUCCESS) {
        result = VK_CALL(device, BindBufferMemory, device->handle, block->buffer, block->memory, 0);
    }
    if (result != VK_SUCCESS) {
        vulkan_block_destroy(device, block);
        return result;
    }
    *out_block = block;
    return VK_SUCCESS;
}

/* Buffers begin at multiples of 256 and nothing else lies in their last 256 bytes, which is as
 * large as an atom may be; only the end of the memory cuts it short. */
static VkMappedMemoryRange range_of(const vulkan_buffer *buffer) {
    const uint64_t end = (buffer->size + TLSF_GRANULE - 1) / TLSF_GRANULE * TLSF_GRANULE;
    const int is_last = buffer->offset + end >= buffer->block->size;
    return (VkMappedMemoryRange){
        .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
        .memory = buffer->block->memory,
        .offset = buffer->offset,
        .size = is_last ? VK_WHOLE_SIZE : end,
    };
}

VkResult vulkan_buffer_flush(vulkan_buffer *buffer) {
    if (buffer->is_coherent || buffer->address == NULL) {
        return VK_SUCCESS;
    }
    const VkMappedMemoryRange range = range_of(buffer);
    return VK_CALL(buffer->device, FlushMappedMemoryRanges, buffer->device->handle, 1, &range);
}

VkResult vulkan_buffer_invalidate(vulkan_buffer *buffer) {
    if (buffer->is_coherent || buffer->address == NULL) {
        return VK_SUCCESS;
    }
    const VkMappedMemoryRange range = range_of(buffer);
    return VK_CALL(buffer->device, InvalidateMappedMemoryRanges, buffer->device->handle, 1, &range);
}
