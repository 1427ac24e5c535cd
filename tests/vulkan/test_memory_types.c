/* Which memory serves what, on machines of many kinds. No driver is needed. */
#include <criterion/criterion.h>

#include <tenon/plugin/device.h>

#include "memory_types.h"

enum {
    LOCAL = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    VISIBLE = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
    COHERENT = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
    CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
};

static const uint64_t gib = 1u << 30;

static VkPhysicalDeviceMemoryProperties machine(const uint64_t *heaps, uint32_t heap_count,
                                                const uint32_t (*types)[2], uint32_t type_count) {
    VkPhysicalDeviceMemoryProperties memory = {0};
    memory.memoryHeapCount = heap_count;
    memory.memoryTypeCount = type_count;
    for (uint32_t i = 0; i < heap_count; i++) {
        memory.memoryHeaps[i].size = heaps[i];
    }
    for (uint32_t i = 0; i < type_count; i++) {
        memory.memoryTypes[i] = (VkMemoryType){types[i][0], types[i][1]};
        if ((types[i][0] & LOCAL) != 0) {
            memory.memoryHeaps[types[i][1]].flags |= VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
        }
    }
    return memory;
}

static uint32_t best(const VkPhysicalDeviceMemoryProperties *memory, uint32_t purpose,
                     vulkan_features features) {
    uint32_t types[VK_MAX_MEMORY_TYPES];
    const uint32_t count = vulkan_memory_types_rank(memory, UINT32_MAX, purpose, features, types);
    return count > 0 ? types[0] : UINT32_MAX;
}

#define MACHINE(heaps, types)                                                                      \
    machine(heaps, sizeof heaps / sizeof heaps[0], types, sizeof types / sizeof types[0])

Test(vulkan_memory_types, a_card_with_a_window) {
    const uint64_t heaps[] = {8 * gib, 16 * gib, gib / 4};
    const uint32_t types[][2] = {{0, 1},
                                 {LOCAL, 0},
                                 {VISIBLE | COHERENT, 1},
                                 {VISIBLE | COHERENT | CACHED, 1},
                                 {LOCAL | VISIBLE | COHERENT, 2}};
    const VkPhysicalDeviceMemoryProperties memory = MACHINE(heaps, types);
    cr_assert_eq(best(&memory, TN_MEMORY_DEVICE, 0), 1);
    cr_assert_eq(best(&memory, TN_MEMORY_UPLOAD, 0), 2);
    cr_assert_eq(best(&memory, TN_MEMORY_READBACK, 0), 3);
}

Test(vulkan_memory_types, a_card_reached_as_a_whole) {
    const uint64_t heaps[] = {140 * gib, 500 * gib};
    const uint32_t types[][2] = {{0, 1},
                                 {LOCAL, 0},
                                 {VISIBLE | COHERENT, 1},
                                 {VISIBLE | COHERENT | CACHED, 1},
                                 {LOCAL | VISIBLE | COHERENT, 0}};
    const VkPhysicalDeviceMemoryProperties memory = MACHINE(heaps, types);
    cr_assert_eq(best(&memory, TN_MEMORY_DEVICE, VULKAN_BIT(REBAR)), 4);
    cr_assert_eq(best(&memory, TN_MEMORY_DEVICE, 0), 1, "rebar disabled");
    cr_assert_eq(best(&memory, TN_MEMORY_UPLOAD, VULKAN_BIT(REBAR)), 2);
    cr_assert_eq(best(&memory, TN_MEMORY_READBACK, VULKAN_BIT(REBAR)), 3);
}

Test(vulkan_memory_types, an_integrated_one_with_two_heaps) {
    const uint64_t heaps[] = {gib / 4, 4 * gib};
    const uint32_t types[][2] = {{LOCAL | VISIBLE | COHERENT, 0},
                                 {LOCAL | VISIBLE | COHERENT, 1},
                                 {LOCAL | VISIBLE | COHERENT | CACHED, 1}};
    const VkPhysicalDeviceMemoryProperties memory = MACHINE(heaps, types);
    cr_assert_eq(best(&memory, TN_MEMORY_DEVICE, VULKAN_BIT(UNIFIED)), 2, "not the small heap");
    cr_assert_eq(best(&memory, TN_MEMORY_UPLOAD, VULKAN_BIT(UNIFIED)), 1);
    cr_assert_eq(best(&memory, TN_MEMORY_READBACK, VULKAN_BIT(UNIFIED)), 2);
}

Test(vulkan_memory_types, one_type_for_all) {
    const uint64_t heaps[] = {2 * gib};
    const uint32_t types[][2] = {{LOCAL | VISIBLE | COHERENT | CACHED, 0}};
    const VkPhysicalDeviceMemoryProperties memory = MACHINE(heaps, types);
    for (uint32_t purpose = 0; purpose < 3; purpose++) {
        cr_assert_eq(best(&memory, purpose, VULKAN_BIT(UNIFIED)), 0);
        cr_assert_eq(best(&memory, purpose, 0), 0);
    }
}

Test(vulkan_memory_types, special_memory_is_left_alone) {
    const uint64_t heaps[] = {8 * gib, gib};
    const uint32_t types[][2] = {
        {LOCAL | VK_MEMORY_PROPERTY_PROTECTED_BIT, 0},
        {LOCAL | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT, 0},
        {LOCAL | VISIBLE | COHERENT | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, 0},
        {VISIBLE | COHERENT, 1}};
    const VkPhysicalDeviceMemoryProperties memory = MACHINE(heaps, types);
    uint32_t found[VK_MAX_MEMORY_TYPES];
    cr_assert_eq(best(&memory, TN_MEMORY_DEVICE, 0), UINT32_MAX);
    cr_assert_eq(vulkan_memory_types_rank(&memory, 7, TN_MEMORY_UPLOAD, 0, found), 0);
    cr_assert_eq(best(&memory, TN_MEMORY_UPLOAD, 0), 3);
}

Test(vulkan_memory_types, memory_that_is_not_coherent_can_be_read) {
    const uint64_t heaps[] = {2 * gib};
    const uint32_t types[][2] = {{LOCAL, 0}, {VISIBLE | COHERENT, 0}, {VISIBLE | CACHED, 0}};
    const VkPhysicalDeviceMemoryProperties memory = MACHINE(heaps, types);
    cr_assert_eq(best(&memory, TN_MEMORY_UPLOAD, 0), 1);
    cr_assert_eq(best(&memory, TN_MEMORY_READBACK, 0), 2, "cached, though it must be invalidated");
}

Test(vulkan_memory_types, budgets) {
    cr_assert_eq(vulkan_budget_left(100, 50, 20), 30);
    cr_assert_eq(vulkan_budget_left(100, 50, 70), 0, "more is used than there is");
    cr_assert_eq(vulkan_budget_left(100, UINT64_MAX, 20), 80, "a budget of 16 EiB");
    cr_assert_eq(vulkan_budget_left(0, 0, 0), 0);
}

Test(vulkan_memory_types, blocks_grow_and_fit_small_heaps) {
    cr_assert_eq(vulkan_block_size(100 * gib, UINT64_MAX, 0), 64 << 20);
    cr_assert_eq(vulkan_block_size(100 * gib, UINT64_MAX, 1), 128 << 20);
    cr_assert_eq(vulkan_block_size(100 * gib, UINT64_MAX, 9), 256 << 20);
    cr_assert_eq(vulkan_block_size(gib / 4, UINT64_MAX, 9), 32 << 20);
    cr_assert_eq(vulkan_block_size(100 * gib, 16 << 20, 0), 16 << 20);
    cr_assert_eq(vulkan_block_size(0, 0, 0), 1 << 20);
}
