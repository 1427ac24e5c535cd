#include "score_order.h"

static void merge(const scored *left, int64_t left_count, const scored *right, int64_t right_count,
                  scored *target) {
    while (left_count > 0 && right_count > 0) {
        if (right->score > left->score) {
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

void score_order(scored *items, scored *scratch, int64_t count) {
    scored *from = items, *to = scratch;
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t first = 0; first < count; first += 2 * run) {
            const int64_t left = at_most(run, count - first);
            const int64_t right = at_most(run, count - first - left);
            merge(from + first, left, from + first + left, right, to + first);
        }
        scored *const other = from;
        from = to;
        to = other;
    }
    if (from != items) {
        memcpy(items, from, (size_t)count * sizeof *items);
    }
}
