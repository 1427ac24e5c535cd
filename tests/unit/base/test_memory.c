/* Allocation: sizes that overflow, alignment, arrays that grow, arenas. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

TestSuite(memory, .init = tni_error_clear);

static bool is_zero(const void *memory, size_t size) {
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void expect_refused(const void *memory) {
    cr_expect_null(memory);
    cr_expect_eq(strncmp(tn_error_message(), "out of memory", 13), 0, "%s", tn_error_message());
    tni_error_clear();
}

Test(memory, products_and_sums_that_overflow_leave_the_output) {
    uint64_t out = 7;
    cr_expect_not(tni_multiply(UINT64_MAX, 2, &out));
    cr_expect_not(tni_multiply(1ull << 32, 1ull << 32, &out));
    cr_expect_not(tni_add(UINT64_MAX, 1, &out));
    cr_expect_eq(out, 7);
    cr_expect(tni_multiply(UINT64_MAX, 1, &out));
    cr_expect_eq(out, UINT64_MAX);
    cr_expect(tni_multiply(0, UINT64_MAX, &out));
    cr_expect_eq(out, 0);
    cr_expect(tni_add(UINT64_MAX, 0, &out));
    cr_expect_eq(out, UINT64_MAX);
}

Test(memory, is_zeroed) {
    void *memory = tni_allocate(1000, 7);
    cr_assert_not_null(memory);
    cr_expect(is_zero(memory, 7000));
    tni_free(memory);
}

Test(memory, none_is_still_something_to_free) {
    void *no_items = tni_allocate(0, 8), *no_size = tni_allocate(8, 0);
    cr_expect_not_null(no_items);
    cr_expect_not_null(no_size);
    tni_free(no_items);
    tni_free(no_size);
    tni_free(NULL);
}

Test(memory, sizes_beyond_all_memory_are_refused) {
    expect_refused(tni_allocate(SIZE_MAX, 2));
    expect_refused(tni_allocate(2, SIZE_MAX));
    expect_refused(tni_allocate(1ull << 33, 1ull << 33));
    expect_refused(tni_allocate(SIZE_MAX, 1));
    expect_refused(tni_allocate_aligned(UINT64_MAX));
    expect_refused(tni_allocate_aligned(UINT64_MAX - 63));
    expect_refused(tni_allocate_aligned(INT64_MAX));
}

Test(memory, of_tensors_is_aligned) {
    for (uint64_t size = 0; size < 200; size += 7) {
        void *memory = tni_allocate_aligned(size);
        cr_assert_not_null(memory);
        cr_expect_eq((uintptr_t)memory % 64, 0);
        memset(memory, 1, size);
        tni_free(memory);
    }
}

Test(memory, texts_are_copied) {
    char text[] = "text";
    char *copy = tni_copy_text(text);
    text[0] = 'n';
    cr_expect_str_eq(copy, "text");
    tni_free(copy);
}

Test(memory, arrays_grow_and_keep_their_items) {
    void *array = NULL;
    uint32_t capacity = 0;
    for (uint32_t count = 0; count < 5000; count++) {
        cr_assert_eq(tni_grow(&array, &capacity, count + 1, sizeof(uint32_t)), TN_OK);
        cr_assert_gt(capacity, count);
        cr_expect_eq(((uint32_t *)array)[count], 0, "new items are zero");
        ((uint32_t *)array)[count] = count;
    }
    for (uint32_t i = 0; i < 5000; i++) {
        cr_expect_eq(((uint32_t *)array)[i], i);
    }
    const void *before = array;
    cr_expect_eq(tni_grow(&array, &capacity, 1, sizeof(uint32_t)), TN_OK);
    cr_expect_eq(array, before, "there was room");
    tni_free(array);
}

Test(memory, an_array_that_cannot_grow_stays) {
    void *array = NULL;
    uint32_t capacity = 0;
    cr_assert_eq(tni_grow(&array, &capacity, 1, 8), TN_OK);
    const void *before = array;
    const uint32_t capacity_before = capacity;
    cr_expect_eq(tni_grow(&array, &capacity, UINT32_MAX, 1ull << 40), TN_OUT_OF_MEMORY);
    cr_expect_eq(array, before);
    cr_expect_eq(capacity, capacity_before);
    tni_free(array);
}

Test(memory, arenas_give_what_is_asked_for) {
    tni_arena arena = {0};
    unsigned char *blocks[500];
    for (size_t i = 0; i < 500; i++) {
        const size_t size = i * i % 9001;
        blocks[i] = tni_arena_allocate(&arena, size, 1);
        cr_assert_not_null(blocks[i]);
        cr_expect_eq((uintptr_t)blocks[i] % 16, 0);
        cr_expect(is_zero(blocks[i], size));
        memset(blocks[i], (int)(i % 255) + 1, size);
    }
    for (size_t i = 0; i < 500; i++) {
        for (size_t j = 0; j < i * i % 9001; j++) {
            cr_assert_eq(blocks[i][j], i % 255 + 1, "block %zu was written over", i);
        }
    }
    tni_arena_finish(&arena);
    cr_expect_null(arena.blocks);
    tni_arena_finish(&arena);
}

Test(memory, arenas_refuse_what_overflows) {
    tni_arena arena = {0};
    expect_refused(tni_arena_allocate(&arena, SIZE_MAX, 2));
    expect_refused(tni_arena_allocate(&arena, SIZE_MAX, 1));
    expect_refused(tni_arena_allocate(&arena, SIZE_MAX - 15, 1));
    expect_refused(tni_arena_allocate(&arena, INT64_MAX, 1));
    cr_expect_str_eq(tni_arena_text(&arena, "still works"), "still works");
    tni_arena_finish(&arena);
}
