#include "ranking.h"

/* Fewer items than this are sorted by insertion. */
#define RUN_LENGTH 16

/* A heap of the first `kept` pays off while it is at most this part of all. */
#define HEAP_PART 8

#define SIGN_32 0x80000000u
#define SIGN_64 0x8000000000000000u

/* Floating-point numbers compare as their bits once negative ones are turned over. */
static uint64_t key_of_f32(float value) {
    if (value != value) {
        return UINT32_MAX;
    }
    const uint32_t bits = tn_bits_from_float(value + 0.0f); /* -0 becomes 0 */
    return (bits & SIGN_32) != 0 ? (uint32_t)~bits : bits | SIGN_32;
}

static uint64_t key_of_f64(double value) {
    uint64_t bits;
    if (value != value) {
        return UINT64_MAX;
    }
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return (bits & SIGN_64) != 0 ? ~bits : bits | SIGN_64;
}

#define KEY_OF_F16(value) key_of_f32(tn_float_from_f16(value))
#define KEY_OF_BF16(value) key_of_f32(tn_float_from_bf16(value))
#define KEY_OF_SIGNED(value) ((uint64_t)(int64_t)(value) ^ SIGN_64)
#define KEY_OF_UNSIGNED(value) ((uint64_t)(value))

#define LOAD_ALL(TYPE, KEY)                                                                        \
    do {                                                                                           \
        const TYPE *elements = source;                                                             \
        for (int64_t i = 0; i < count; i++) {                                                      \
            items[i] = (ranked){KEY(elements[i * stride]) ^ turn, i};                              \
        }                                                                                          \
    } while (0)

void ranking_load(tn_dtype dtype, const void *source, int64_t stride, int64_t count, int descending,
                  ranked *items) {
    const uint64_t turn = descending ? UINT64_MAX : 0;
    switch (dtype) {
    case TN_F32: LOAD_ALL(float, key_of_f32); break;
    case TN_F64: LOAD_ALL(double, key_of_f64); break;
    case TN_F16: LOAD_ALL(uint16_t, KEY_OF_F16); break;
    case TN_BF16: LOAD_ALL(uint16_t, KEY_OF_BF16); break;
    case TN_I8: LOAD_ALL(int8_t, KEY_OF_SIGNED); break;
    case TN_I16: LOAD_ALL(int16_t, KEY_OF_SIGNED); break;
    case TN_I32: LOAD_ALL(int32_t, KEY_OF_SIGNED); break;
    case TN_I64: LOAD_ALL(int64_t, KEY_OF_SIGNED); break;
    case TN_U16: LOAD_ALL(uint16_t, KEY_OF_UNSIGNED); break;
    case TN_U32: LOAD_ALL(uint32_t, KEY_OF_UNSIGNED); break;
    case TN_U64: LOAD_ALL(uint64_t, KEY_OF_UNSIGNED); break;
    default: LOAD_ALL(uint8_t, KEY_OF_UNSIGNED); break;
    }
}

/* No two items are equal, so every way of sorting gives the same order. */
static int comes_before(const ranked *left, const ranked *right) {
    return left->key != right->key ? left->key < right->key : left->place < right->place;
}

static void sort_by_insertion(ranked *items, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        const ranked item = items[i];
        int64_t hole = i;
        for (; hole > 0 && comes_before(&item, &items[hole - 1]); hole--) {
            items[hole] = items[hole - 1];
        }
        items[hole] = item;
    }
}

static void merge(const ranked *left, int64_t left_count, const ranked *right, int64_t right_count,
                  ranked *target) {
    while (left_count > 0 && right_count > 0) {
        if (comes_before(right, left)) {
            *target++ = *right++;
            right_count--;
        } else {
            *target++ = *left++;
            left_count--;
        }
    }
    memcpy(target, left, (size_t)left_count * sizeof *target);
    memcpy(target + left_count, right, (size_t)right_count * sizeof *target);
}

static int64_t at_most(int64_t value, int64_t limit) {
    return value < limit ? value : limit;
}

/* From short sorted runs to longer ones, back and forth between the two arrays. */
static void sort_by_merging(ranked *items, ranked *scratch, int64_t count) {
    ranked *from = items, *to = scratch;
    for (int64_t first = 0; first < count; first += RUN_LENGTH) {
        sort_by_insertion(items + first, at_most(RUN_LENGTH, count - first));
    }
    for (int64_t run = RUN_LENGTH; run < count; run *= 2) {
        for (int64_t first = 0; first < count; first += 2 * run) {
            const int64_t left = at_most(run, count - first);
            const int64_t right = at_most(run, count - first - left);
            merge(from + first, left, from + first + left, right, to + first);
        }
        ranked *const other = from;
        from = to;
        to = other;
    }
    if (from != items) {
        memcpy(items, from, (size_t)count * sizeof *items);
    }
}

/* Lets items[root] sink in a heap whose root comes last in order. */
static void sink(ranked *items, int64_t count, int64_t root) {
    const ranked item = items[root];
    for (int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && comes_before(&items[child], &items[child + 1])) {
            child++;
        }
        if (!comes_before(&item, &items[child])) {
            break;
        }
        items[root] = items[child];
        root = child;
    }
    items[root] = item;
}

/* Gathers the first `kept` of all items in front. */
static void select_first(ranked *items, int64_t count, int64_t kept) {
    for (int64_t root = kept / 2 - 1; root >= 0; root--) {
        sink(items, kept, root);
    }
    for (int64_t i = kept; i < count; i++) {
        if (comes_before(&items[i], &items[0])) {
            const ranked dropped = items[0];
            items[0] = items[i];
            items[i] = dropped;
            sink(items, kept, 0);
        }
    }
}

void ranking_sort(ranked *items, ranked *scratch, int64_t count, int64_t kept) {
    if (kept > 0 && kept <= count / HEAP_PART) {
        select_first(items, count, kept);
        sort_by_merging(items, scratch, kept);
    } else {
        sort_by_merging(items, scratch, count);
    }
}
