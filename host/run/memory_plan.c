#include "run/memory_plan.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static uint64_t round_up(uint64_t size) {
    return (size + TNI_ARENA_ALIGNMENT - 1) / TNI_ARENA_ALIGNMENT * TNI_ARENA_ALIGNMENT;
}

static int compare_sizes(const void *left, const void *right) {
    const tni_buffer_plan *a = *(tni_buffer_plan *const *)left;
    const tni_buffer_plan *b = *(tni_buffer_plan *const *)right;
    if (a->size != b->size) {
        return a->size > b->size ? -1 : 1;
    }
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return a < b ? -1 : a > b; /* the same plan every time */
}

static bool alive_together(const tni_buffer_plan *a, const tni_buffer_plan *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest gap among the placed buffers, which are in the order of their offsets. */
static uint64_t find_place(tni_buffer_plan *const *placed, uint32_t count,
                           const tni_buffer_plan *buffer) {
    const uint64_t size = round_up(buffer->size);
    uint64_t place = 0;
    for (uint32_t i = 0; i < count; i++) {
        const tni_buffer_plan *other = placed[i];
        if (!alive_together(buffer, other)) {
            continue;
        }
        if (other->offset >= place + size) {
            break;
        }
        const uint64_t end = other->offset + round_up(other->size);
        place = end > place ? end : place;
    }
    return place;
}

static void insert_by_offset(tni_buffer_plan **placed, uint32_t count, tni_buffer_plan *buffer) {
    uint32_t at = count;
    while (at > 0 && placed[at - 1]->offset > buffer->offset) {
        placed[at] = placed[at - 1];
        at--;
    }
    placed[at] = buffer;
}

tn_status tni_memory_plan(tni_buffer_plan *buffers, uint32_t count, uint64_t *out_size) {
    tni_buffer_plan **order = tni_allocate(count, sizeof *order);
    tni_buffer_plan **placed = tni_allocate(count, sizeof *placed);
    tn_status status = order == NULL || placed == NULL ? TN_OUT_OF_MEMORY : TN_OK;
    uint64_t total = 0;
    for (uint32_t i = 0; status == TN_OK && i < count; i++) {
        order[i] = &buffers[i];
        /* No arena is larger than all buffers side by side: one check covers every sum below. */
        if (buffers[i].size > INT64_MAX || !tni_add(total, round_up(buffers[i].size), &total) ||
            total > INT64_MAX) {
            status = tni_fail_memory(UINT64_MAX);
        }
    }
    uint64_t arena = 0;
    if (status == TN_OK) {
        qsort(order, count, sizeof *order, compare_sizes);
        for (uint32_t i = 0; i < count; i++) {
            order[i]->offset = order[i]->size == 0 ? 0 : find_place(placed, i, order[i]);
            insert_by_offset(placed, i, order[i]);
            const uint64_t end = order[i]->offset + round_up(order[i]->size);
            arena = end > arena ? end : arena;
        }
        *out_size = arena;
    }
    tni_free(order);
    tni_free(placed);
    return status;
}

tn_status tni_memory_lower_bound(const tni_buffer_plan *buffers, uint32_t count,
                                 uint32_t step_count, uint64_t *out_size) {
    /* Sizes enter at their first step and leave after their last one. */
    int64_t *changes = tni_allocate((size_t)step_count + 1, sizeof *changes);
    if (changes == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int64_t size = (int64_t)round_up(buffers[i].size);
        changes[buffers[i].first] += size;
        changes[buffers[i].last + 1] -= size;
    }
    int64_t alive = 0, most = 0;
    for (uint32_t step = 0; step < step_count; step++) {
        alive += changes[step];
        most = alive > most ? alive : most;
    }
    tni_free(changes);
    *out_size = (uint64_t)most;
    return TN_OK;
}
