#include <criterion/criterion.h>
#include <stdlib.h>

#include "run/memory_plan.h"

static void expect_disjoint(const tni_buffer_plan *buffers, uint32_t count, uint64_t arena) {
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_eq(buffers[i].offset % TNI_ARENA_ALIGNMENT, 0);
        cr_expect_leq(buffers[i].offset + buffers[i].size, arena);
        for (uint32_t j = 0; j < i; j++) {
            const bool together =
                buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
            const bool overlap = buffers[i].offset < buffers[j].offset + buffers[j].size &&
                                 buffers[j].offset < buffers[i].offset + buffers[i].size;
            cr_expect(!(together && overlap), "buffers %u and %u overlap", i, j);
        }
    }
}

Test(memory_plan, a_chain_needs_two_places) {
    tni_buffer_plan buffers[] = {{640, 0, 1, 0}, {640, 1, 2, 0}, {640, 2, 3, 0}, {640, 3, 4, 0}};
    uint64_t arena, bound;
    cr_assert_eq(tni_memory_plan(buffers, 4, &arena), TN_OK);
    cr_assert_eq(tni_memory_lower_bound(buffers, 4, 5, &bound), TN_OK);
    cr_expect_eq(arena, 1280);
    cr_expect_eq(bound, 1280);
    expect_disjoint(buffers, 4, arena);
}

Test(memory_plan, empty_buffers_take_no_room) {
    tni_buffer_plan buffers[] = {{0, 0, 9, 1}, {64, 0, 9, 0}, {0, 0, 9, 1}};
    uint64_t arena;
    cr_assert_eq(tni_memory_plan(buffers, 3, &arena), TN_OK);
    cr_expect_eq(arena, 64);
    cr_assert_eq(tni_memory_plan(NULL, 0, &arena), TN_OK);
    cr_expect_eq(arena, 0);
}

Test(memory_plan, sizes_that_overflow_are_refused) {
    tni_buffer_plan buffers[] = {{INT64_MAX, 0, 1, 0}, {INT64_MAX, 0, 1, 0}};
    uint64_t arena = 5;
    cr_expect_eq(tni_memory_plan(buffers, 2, &arena), TN_OUT_OF_MEMORY);
    cr_expect_eq(arena, 5);
}

Test(memory_plan, random_lifetimes_never_overlap_and_stay_near_the_bound) {
    enum { COUNT = 200, STEPS = 100 };
    srand(7);
    for (int round = 0; round < 50; round++) {
        tni_buffer_plan buffers[COUNT];
        uint64_t arena, bound;
        for (int i = 0; i < COUNT; i++) {
            const uint32_t first = (uint32_t)(rand() % STEPS);
            const uint32_t length = (uint32_t)(rand() % 8);
            buffers[i] = (tni_buffer_plan){(uint64_t)(rand() % 5000), first,
                                           first + length < STEPS ? first + length : STEPS - 1, 0};
        }
        cr_assert_eq(tni_memory_plan(buffers, COUNT, &arena), TN_OK);
        cr_assert_eq(tni_memory_lower_bound(buffers, COUNT, STEPS, &bound), TN_OK);
        expect_disjoint(buffers, COUNT, arena);
        cr_expect_leq(bound, arena);
        cr_expect_leq(arena, bound + bound / 3);
    }
}
