#include <criterion/criterion.h>

#include "device/pool.h"

static tni_pool pool;
static int freed;

static void count_free(void *context, void *buffer) {
    cr_assert_eq(context, &freed);
    cr_assert_not_null(buffer);
    freed++;
}

static void set_up(void) {
    tni_pool_init(&pool, 10000);
}

static void tear_down(void) {
    tni_pool_trim(&pool, count_free, &freed);
    tni_pool_finish(&pool);
}

TestSuite(pool, .init = set_up, .fini = tear_down);

static char buffers[100];

Test(pool, rounding_wastes_at_most_an_eighth) {
    cr_assert_eq(tni_pool_round(0), 256);
    cr_assert_eq(tni_pool_round(1), 256);
    cr_assert_eq(tni_pool_round(256), 256);
    cr_assert_eq(tni_pool_round(257), 288);
    cr_assert_eq(tni_pool_round(512), 512);
    cr_assert_eq(tni_pool_round(513), 576);
    for (uint64_t size = 257; size < (uint64_t)1 << 60; size += size / 7) {
        const uint64_t rounded = tni_pool_round(size);
        cr_assert_geq(rounded, size);
        cr_assert_leq(rounded - size, size / 8, "%llu", (unsigned long long)size);
        cr_assert_eq(tni_pool_round(rounded), rounded);
    }
    cr_assert_eq(tni_pool_round(UINT64_MAX), UINT64_MAX);
}

Test(pool, gives_back_what_is_large_enough) {
    cr_assert_null(tni_pool_take(&pool, 1000));
    cr_assert(tni_pool_give(&pool, 1000, &buffers[0]));
    cr_assert_null(tni_pool_take(&pool, 2000));
    cr_assert_null(tni_pool_take(&pool, 10));
    cr_assert_eq(tni_pool_take(&pool, 1001), &buffers[0], "1000 and 1001 are of one class");
    cr_assert_null(tni_pool_take(&pool, 1000));
    cr_assert_eq(pool.held, 0);
}

Test(pool, every_buffer_of_a_class_serves_every_size_of_it) {
    for (uint64_t size = 1; size < 5000; size++) {
        cr_assert(tni_pool_give(&pool, size, &buffers[1]));
        for (uint64_t other = size; other <= tni_pool_round(size); other++) {
            cr_assert_eq(tni_pool_take(&pool, other), &buffers[1]);
            cr_assert(tni_pool_give(&pool, other, &buffers[1]));
        }
        cr_assert_null(tni_pool_take(&pool, tni_pool_round(size) + 1));
        cr_assert_eq(tni_pool_take(&pool, size), &buffers[1]);
    }
}

Test(pool, a_full_pool_takes_nothing) {
    cr_assert(tni_pool_give(&pool, 8192, &buffers[0]));
    cr_assert_not(tni_pool_give(&pool, 8192, &buffers[1]));
    cr_assert(tni_pool_give(&pool, 1024, &buffers[1]));
    cr_assert_not(tni_pool_give(&pool, UINT64_MAX, &buffers[2]));
    cr_assert_not(tni_pool_give(&pool, (uint64_t)1 << 61, &buffers[2]));
    cr_assert_null(tni_pool_take(&pool, UINT64_MAX));
}

Test(pool, trim_frees_all) {
    for (int i = 0; i < 20; i++) {
        cr_assert(tni_pool_give(&pool, 100, &buffers[i]));
    }
    cr_assert_eq(tni_pool_take(&pool, 100), &buffers[19]);
    tni_pool_trim(&pool, count_free, &freed);
    cr_assert_eq(freed, 19);
    cr_assert_eq(pool.held, 0);
    cr_assert_null(tni_pool_take(&pool, 100));
}
