/* The hash map, against an array that does the same slowly. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"

TestSuite(map);

enum { KEYS = 700 };

static int values[KEYS];

static const char *key_of(uint32_t number) {
    static char key[16];
    snprintf(key, sizeof key, "key%u", number);
    return key;
}

/* xorshift: the same numbers each time. */
static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void expect_same(const tni_map *map, void *const *oracle) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < KEYS; i++) {
        cr_assert_eq(tni_map_find(map, key_of(i)), oracle[i], "%s", key_of(i));
        count += oracle[i] != NULL;
    }
    cr_assert_eq(map->count, count);
}

/* `removals` of 16 steps take a key away, so that the map fills up or stays nearly empty. */
static void compare_with_oracle(uint32_t seed, uint32_t removals) {
    tni_map map = {0};
    void *oracle[KEYS] = {NULL};
    for (uint32_t step = 0; step < 20000; step++) {
        const uint32_t key = next_random(&seed) % KEYS;
        if (next_random(&seed) % 16 < removals) {
            tni_map_remove(&map, key_of(key));
            oracle[key] = NULL;
        } else {
            void *value = &values[next_random(&seed) % KEYS];
            cr_assert_eq(tni_map_set(&map, key_of(key), value), TN_OK);
            oracle[key] = value;
        }
        if (step % 500 == 0) {
            expect_same(&map, oracle);
        }
    }
    expect_same(&map, oracle);
    tni_map_finish(&map, NULL);
}

Test(map, agrees_with_an_array_when_it_fills_up) {
    compare_with_oracle(1, 2);
}

Test(map, agrees_with_an_array_when_as_much_comes_as_goes) {
    compare_with_oracle(2, 8);
}

Test(map, agrees_with_an_array_when_most_is_removed) {
    compare_with_oracle(3, 14);
}

Test(map, an_empty_one_finds_nothing) {
    tni_map map = {0};
    cr_expect_null(tni_map_find(&map, ""));
    tni_map_remove(&map, "x");
    cr_expect_eq(map.count, 0);
    tni_map_finish(&map, NULL);
}

Test(map, odd_keys_are_keys) {
    tni_map map = {0};
    static char long_key[100000];
    memset(long_key, 'k', sizeof long_key - 1);
    cr_assert_eq(tni_map_set(&map, "", &values[0]), TN_OK);
    cr_assert_eq(tni_map_set(&map, long_key, &values[1]), TN_OK);
    cr_assert_eq(tni_map_set(&map, "\xff\xfe\n", &values[2]), TN_OK);
    cr_expect_eq(tni_map_find(&map, ""), &values[0]);
    cr_expect_eq(tni_map_find(&map, long_key), &values[1]);
    cr_expect_eq(tni_map_find(&map, "\xff\xfe\n"), &values[2]);
    long_key[sizeof long_key - 2] = 'l';
    cr_expect_null(tni_map_find(&map, long_key));
    tni_map_finish(&map, NULL);
}

Test(map, copies_its_keys) {
    tni_map map = {0};
    char key[] = "key";
    cr_assert_eq(tni_map_set(&map, key, &values[0]), TN_OK);
    key[0] = 'x';
    cr_expect_eq(tni_map_find(&map, "key"), &values[0]);
    cr_expect_null(tni_map_find(&map, key));
    tni_map_finish(&map, NULL);
}

Test(map, setting_again_replaces) {
    tni_map map = {0};
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(tni_map_set(&map, "key", &values[i]), TN_OK);
    }
    cr_expect_eq(map.count, 1);
    cr_expect_eq(tni_map_find(&map, "key"), &values[99]);
    tni_map_finish(&map, NULL);
}

static int destroyed;

static void destroy(void *value) {
    destroyed += *(int *)value;
}

Test(map, gives_each_value_to_destroy) {
    tni_map map = {0};
    int one = 1, ten = 10;
    cr_assert_eq(tni_map_set(&map, "a", &one), TN_OK);
    cr_assert_eq(tni_map_set(&map, "b", &ten), TN_OK);
    cr_assert_eq(tni_map_set(&map, "nothing", NULL), TN_OK);
    tni_map_finish(&map, destroy);
    cr_expect_eq(destroyed, 11);
    cr_expect_eq(map.count, 0);
    cr_expect_null(tni_map_find(&map, "a"));
}

Test(map, the_hash_depends_on_every_byte_and_the_seed) {
    const uint64_t hash = tni_hash("abc", 3, 0);
    cr_expect_eq(tni_hash("abcd", 3, 0), hash);
    cr_expect_neq(tni_hash("abcd", 4, 0), hash);
    cr_expect_neq(tni_hash("abd", 3, 0), hash);
    cr_expect_neq(tni_hash("abc", 3, 1), hash);
    cr_expect_neq(tni_hash("\0", 1, 0), tni_hash("\0\0", 2, 0));
}
