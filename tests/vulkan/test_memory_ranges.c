/* The sub-allocator and the tracker of ranges, against simple models. No driver is needed. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include <tenon/plugin/host.h>

#include "range_tracker.h"
#include "tlsf.h"

static uint64_t seed = 88172645463325252ull;

static uint64_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ---- tlsf ---- */

Test(vulkan_tlsf, all_of_it_and_nothing_more) {
    tlsf *allocator = tlsf_create(1 << 20);
    tlsf_node *all = tlsf_allocate(allocator, 1 << 20, 1);
    cr_assert_not_null(all);
    cr_assert_eq(all->offset, 0);
    cr_assert_null(tlsf_allocate(allocator, 1, 1));
    cr_assert_eq(tlsf_largest_free(allocator), 0);
    tlsf_free(allocator, all);
    cr_assert(tlsf_is_empty(allocator));
    cr_assert_null(tlsf_allocate(allocator, (1 << 20) + 1, 1));
    cr_assert_null(tlsf_allocate(allocator, UINT64_MAX, 1));
    cr_assert_null(tlsf_allocate(allocator, UINT64_MAX - 100, (uint64_t)1 << 63));
    cr_assert_null(tlsf_allocate(allocator, 0, 1));
    cr_assert_null(tlsf_allocate(allocator, 1, (uint64_t)1 << 40));
    cr_assert_eq(tlsf_largest_free(allocator), 1 << 20);
    tlsf_destroy(allocator);
    tlsf_destroy(NULL);
}

Test(vulkan_tlsf, sizes_between_classes_are_found) {
    for (uint64_t granules = 1; granules < 3000; granules += 7) {
        tlsf *allocator = tlsf_create(granules * TLSF_GRANULE);
        tlsf_node *all = tlsf_allocate(allocator, granules * TLSF_GRANULE, 1);
        cr_assert_not_null(all, "%llu", (unsigned long long)granules);
        tlsf_free(allocator, all);
        tlsf_destroy(allocator);
    }
}

enum { SPACE = 1 << 22, LIVE = 4000 };

/* A byte for each granule. */
static void mark(unsigned char *map, const tlsf_node *node, unsigned char from, unsigned char to) {
    for (uint64_t i = node->offset / TLSF_GRANULE; i < (node->offset + node->size) / TLSF_GRANULE;
         i++) {
        cr_assert_eq(map[i], from, "two ranges overlap");
        map[i] = to;
    }
}

Test(vulkan_tlsf, a_million_random_steps, .timeout = 120) {
    unsigned char *map = calloc(SPACE / TLSF_GRANULE, 1);
    tlsf_node *live[LIVE] = {NULL};
    tlsf *allocator = tlsf_create(SPACE);
    uint64_t used = 0, refused = 0;
    for (int step = 0; step < 1000000; step++) {
        tlsf_node **place = &live[next_random() % LIVE];
        if (*place != NULL) {
            mark(map, *place, 1, 0);
            used -= (*place)->size;
            tlsf_free(allocator, *place);
            *place = NULL;
        } else {
            const uint64_t size = 1 + next_random() % ((uint64_t)1 << (next_random() % 17));
            const uint64_t alignment = (uint64_t)1 << (next_random() % 14);
            *place = tlsf_allocate(allocator, size, alignment);
            if (*place != NULL) {
                cr_assert_geq((*place)->size, size);
                cr_assert_lt((*place)->size, size + TLSF_GRANULE);
                cr_assert_eq((*place)->offset % alignment, 0);
                mark(map, *place, 0, 1);
                used += (*place)->size;
            } else {
                refused++;
                cr_assert_lt(tlsf_largest_free(allocator), 2 * size + alignment + TLSF_GRANULE);
            }
        }
        cr_assert_eq(tlsf_free_bytes(allocator), SPACE - used);
        if (step % 5000 == 0) {
            cr_assert(tlsf_is_sound(allocator));
        }
    }
    cr_assert_gt(refused, 0, "the space was never full: the test is too tame");
    for (int i = 0; i < LIVE; i++) {
        if (live[i] != NULL) {
            tlsf_free(allocator, live[i]);
        }
    }
    cr_assert(tlsf_is_empty(allocator));
    cr_assert(tlsf_is_sound(allocator));
    cr_assert_eq(tlsf_largest_free(allocator), SPACE);
    tlsf_destroy(allocator);
    free(map);
}

/* ---- Ranges ---- */

static const VkBuffer handles[3] = {(VkBuffer)(uintptr_t)1, (VkBuffer)(uintptr_t)2,
                                    (VkBuffer)(uintptr_t)3};

static int use(vulkan_range_tracker *tracker, int buffer, uint64_t begin, uint64_t end,
               uint32_t access, vulkan_barrier *barrier) {
    const vulkan_range range = {handles[buffer], begin, end, access, 0};
    return vulkan_range_tracker_use(tracker, &range, 1, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                    barrier);
}

Test(vulkan_ranges, only_conflicts_need_barriers) {
    vulkan_range_tracker tracker = {0};
    vulkan_barrier barrier;
    cr_assert_not(use(&tracker, 0, 0, 100, TN_ACCESS_READ, &barrier));
    cr_assert_not(use(&tracker, 0, 50, 150, TN_ACCESS_READ, &barrier), "reads share");
    cr_assert_not(use(&tracker, 1, 0, 100, TN_ACCESS_WRITE, &barrier), "another buffer");
    cr_assert_not(use(&tracker, 0, 150, 200, TN_ACCESS_WRITE, &barrier), "only touches");
    cr_assert(use(&tracker, 1, 99, 101, TN_ACCESS_READ, &barrier), "read after write");
    cr_assert_eq(barrier.writes, VK_ACCESS_SHADER_WRITE_BIT);
    cr_assert_not(use(&tracker, 0, 150, 200, TN_ACCESS_READ, &barrier), "the barrier closed all");
    cr_assert(use(&tracker, 0, 199, 300, TN_ACCESS_WRITE, &barrier), "write after read");
    cr_assert_eq(barrier.writes, 0, "for execution alone");
    cr_assert(use(&tracker, 0, 299, 301, TN_ACCESS_WRITE, &barrier), "write after write");
}

Test(vulkan_ranges, stages_and_the_unknown) {
    vulkan_range_tracker tracker = {0};
    vulkan_barrier barrier;
    const vulkan_range range = {handles[0], 0, 10, TN_ACCESS_WRITE, 0};
    cr_assert_not(
        vulkan_range_tracker_use(&tracker, &range, 1, VK_PIPELINE_STAGE_TRANSFER_BIT, &barrier));
    cr_assert_not(use(&tracker, 1, 0, 10, TN_ACCESS_READ, &barrier));
    cr_assert(use(&tracker, 0, 0, 10, TN_ACCESS_READ, &barrier));
    cr_assert_eq(barrier.stages,
                 VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    cr_assert_eq(barrier.writes, VK_ACCESS_TRANSFER_WRITE_BIT);
    vulkan_range_tracker_open_all(&tracker);
    cr_assert_not(
        vulkan_range_tracker_use(&tracker, NULL, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, &barrier),
        "a command without ranges is never late");
    cr_assert(use(&tracker, 2, 0, 10, TN_ACCESS_READ, &barrier));
    cr_assert_not(use(&tracker, 2, 20, 30, TN_ACCESS_READ, &barrier));
}

/* Against a model that remembers for every byte when it was last written and read: a command must
 * not depend on one that no barrier has come after. */
Test(vulkan_ranges, random_commands_are_never_too_early) {
    enum { BYTES = 64, COMMANDS = 200000 };
    static int written[3][BYTES], read[3][BYTES];
    vulkan_range_tracker tracker = {0};
    int last_barrier = 0, barriers = 0;
    for (int now = 1; now <= COMMANDS; now++) {
        vulkan_range ranges[3];
        vulkan_barrier barrier;
        const uint32_t count = 1 + (uint32_t)(next_random() % 3);
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t begin = next_random() % BYTES;
            ranges[i] = (vulkan_range){handles[next_random() % 3], begin,
                                       begin + 1 + next_random() % 3 % (BYTES - begin),
                                       1 + (uint32_t)(next_random() % 3), 0};
        }
        if (vulkan_range_tracker_use(&tracker, ranges, count, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                     &barrier)) {
            last_barrier = now;
            barriers++;
        }
        for (uint32_t i = 0; i < count; i++) {
            const uintptr_t buffer = (uintptr_t)ranges[i].buffer - 1;
            for (uint64_t at = ranges[i].begin; at < ranges[i].end; at++) {
                cr_assert(written[buffer][at] < last_barrier || written[buffer][at] == now ||
                          written[buffer][at] == 0);
                if ((ranges[i].access & TN_ACCESS_WRITE) != 0) {
                    cr_assert(read[buffer][at] < last_barrier || read[buffer][at] == now ||
                              read[buffer][at] == 0);
                    written[buffer][at] = now;
                } else {
                    read[buffer][at] = now;
                }
            }
        }
    }
    cr_assert_lt(barriers, COMMANDS);
}

Test(vulkan_ranges, a_full_list_is_emptied_by_a_barrier) {
    vulkan_range_tracker tracker = {0};
    vulkan_barrier barrier;
    int barriers = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        barriers += use(&tracker, 0, i * 10, i * 10 + 5, TN_ACCESS_WRITE, &barrier);
    }
    cr_assert_leq(barriers, 1000 / VULKAN_MAX_RANGES);
    for (uint64_t i = 0; i < 1000; i++) { /* neighbours are one range */
        barriers += use(&tracker, 1, i * 10, i * 10 + 10, TN_ACCESS_WRITE, &barrier);
    }
    cr_assert_leq(barriers, 1000 / VULKAN_MAX_RANGES + 1);
}
