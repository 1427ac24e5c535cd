#include "fake_plugin.h"
#include "tensor/tensor.h"

/* Both sides of a case end with END. */
#define END 999

typedef struct reshape_case {
    int64_t source[6];
    int64_t request[8];
    int32_t reverse;
    int64_t result[8]; /* empty: refused */
} reshape_case;

static int32_t rank_of(const int64_t *items) {
    int32_t rank = 0;
    while (items[rank] != END) {
        rank++;
    }
    return rank;
}

static tn_status resolve(const reshape_case *c, tn_shape *out_shape) {
    const tn_view source = {.rank = rank_of(c->source), .shape = c->source, .dtype = TN_F32};
    return tni_reshape_resolve(&source, rank_of(c->request), c->request, c->reverse, out_shape);
}

static void check(const reshape_case *c, size_t index) {
    tn_shape shape;
    cr_assert_eq(resolve(c, &shape), TN_OK, "case %zu: %s", index, tn_error_message());
    cr_assert_eq(shape.rank, rank_of(c->result), "case %zu: rank %d", index, (int)shape.rank);
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        cr_assert_eq(shape.extents[axis], c->result[axis], "case %zu, axis %d: %lld", index,
                     (int)axis, (long long)shape.extents[axis]);
    }
}

static const reshape_case good[] = {
    {{2, 3, 5, 5, END}, {0, -1, END}, 0, {2, 75, END}},
    {{2, 3, 5, 5, END}, {0, 0, -1, END}, 0, {2, 3, 25, END}},
    {{5, 3, 4, 5, END}, {0, -1, 0, END}, 0, {5, 15, 4, END}},
    {{2, 3, 5, 4, END}, {-1, 0, 0, END}, 0, {8, 3, 5, END}},
    {{2, 4, 5, 3, END}, {-1, 2, 2, 1, END}, 0, {30, 2, 2, 1, END}},
    {{2, 3, 5, 6, END}, {-2, END}, 0, {2, 3, 5, 6, END}},
    {{2, 3, 5, 6, END}, {6, 1, -2, END}, 0, {6, 1, 5, 6, END}},
    {{2, 3, 5, 6, END}, {-3, -3, END}, 0, {6, 30, END}},
    {{2, 3, 5, 6, END}, {-3, -1, END}, 0, {6, 30, END}},
    {{64, END}, {-4, 16, 4, END}, 0, {16, 4, END}},
    {{64, END}, {-4, 16, -1, END}, 0, {16, 4, END}},
    {{64, 1, 2, 3, END}, {-4, 16, -1, -2, END}, 0, {16, 4, 1, 2, 3, END}},
    {{2, 3, 4, END}, {4, 0, 2, END}, 0, {4, 3, 2, END}},
    {{2, 3, 4, END}, {2, 0, 0, END}, 0, {2, 3, 4, END}},
    {{2, 3, 4, END}, {6, 1, -1, END}, 0, {6, 1, 4, END}},
    {{2, 3, 4, END}, {-2, 1, 1, END}, 0, {2, 3, 4, 1, 1, END}},
    {{2, 3, 4, END}, {0, -3, END}, 0, {2, 12, END}},
    {{2, 3, 4, END}, {2, -4, -1, 3, -2, END}, 0, {2, 1, 3, 4, END}},
    {{2, 3, 5, 5, END}, {0, -1, END}, 1, {5, 30, END}},
    {{2, 3, 5, 5, END}, {0, 0, -1, END}, 1, {3, 5, 10, END}},
    {{5, 3, 4, 5, END}, {0, -1, 0, END}, 1, {3, 20, 5, END}},
    {{2, 3, 5, 4, END}, {-1, 0, 0, END}, 1, {6, 5, 4, END}},
    {{2, 3, 4, 5, END}, {3, -1, 0, END}, 1, {3, 8, 5, END}},
    {{2, 3, 5, 5, END}, {5, 3, 0, -1, END}, 1, {5, 3, 5, 2, END}},
    {{2, 3, 5, 6, END}, {-2, 1, 30, END}, 1, {2, 3, 1, 30, END}},
    {{2, 3, 5, 6, END}, {-3, -3, END}, 1, {6, 30, END}},
    {{64, END}, {16, 4, -4, END}, 1, {16, 4, END}},
    {{64, END}, {16, -1, -4, END}, 1, {16, 4, END}},
    {{1, 2, 3, 64, END}, {-2, -1, 16, -4, END}, 1, {1, 2, 3, 4, 16, END}},
    {{10, 5, 4, END}, {-1, 0, END}, 0, {40, 5, END}},
    {{10, 5, 4, END}, {-1, 0, END}, 1, {50, 4, END}},
    /* scalars and empty tensors */
    {{END}, {END}, 0, {END}},
    {{END}, {1, 1, END}, 0, {1, 1, END}},
    {{END}, {-1, END}, 0, {1, END}},
    {{1, 1, END}, {END}, 0, {END}},
    {{0, 3, END}, {-1, 3, END}, 0, {0, 3, END}},
    {{0, 3, END}, {-2, END}, 0, {0, 3, END}},
    {{3, 0, END}, {-3, END}, 0, {0, END}},
};

Test(reshape_codes, cases) {
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        check(&good[i], i);
    }
}

static const reshape_case bad[] = {
    {{2, 3, END}, {5, END}, 0, {END}},
    {{2, 3, END}, {-1, -1, END}, 0, {END}},
    {{2, 3, END}, {4, -1, END}, 0, {END}},
    {{2, 3, END}, {0, 0, 0, END}, 0, {END}},
    {{2, END}, {-3, END}, 0, {END}},
    {{2, 3, END}, {0, -3, END}, 0, {END}},
    {{6, END}, {-4, 2, END}, 0, {END}},
    {{6, END}, {-4, END}, 0, {END}},
    {{6, END}, {-4, -1, -1, END}, 0, {END}},
    {{6, END}, {-4, 4, -1, END}, 0, {END}},
    {{6, END}, {-4, 2, 2, END}, 0, {END}},
    {{6, END}, {-4, 0, 6, END}, 0, {END}},
    {{6, END}, {-4, -2, -3, END}, 0, {END}},
    {{END}, {-4, 1, 1, END}, 0, {END}},
    {{6, END}, {-5, END}, 0, {END}},
    {{6, END}, {INT64_MIN, END}, 0, {END}},
    {{6, END}, {INT64_MAX, INT64_MAX, -1, END}, 0, {END}},
    {{6, END}, {-4, INT64_MAX, INT64_MAX, END}, 0, {END}},
    {{0, 3, END}, {0, -1, END}, 0, {END}}, /* any extent would do */
    {{6, END}, {6, 2, -4, END}, 1, {END}},
};

Test(reshape_codes, requests_that_do_not_fit) {
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tn_shape shape = {.rank = 77};
        cr_assert_eq(resolve(&bad[i], &shape), TN_INVALID_ARGUMENT, "case %zu", i);
        cr_assert_eq(shape.rank, 77, "case %zu wrote its output", i);
    }
}

Test(reshape_codes, the_message_names_both_shapes) {
    const reshape_case c = {{2, 3, END}, {4, -1, END}, 0, {END}};
    tn_shape shape;
    cr_assert_eq(resolve(&c, &shape), TN_INVALID_ARGUMENT);
    ASSERT_MESSAGE("reshape of (2,3) to (4,-1): ");
}

Test(reshape_codes, too_many_axes) {
    int64_t source[TN_MAX_RANK], request[200];
    for (int i = 0; i < TN_MAX_RANK; i++) {
        source[i] = 1;
    }
    for (int i = 0; i < 200; i++) {
        request[i] = 1;
    }
    const tn_view view = {.rank = TN_MAX_RANK, .shape = source, .dtype = TN_F32};
    tn_shape shape;
    cr_assert_eq(tni_reshape_resolve(&view, TN_MAX_RANK, request, 0, &shape), TN_OK);
    cr_assert_eq(tni_reshape_resolve(&view, TN_MAX_RANK + 1, request, 0, &shape),
                 TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_reshape_resolve(&view, 200, request, 0, &shape), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_reshape_resolve(&view, -1, request, 0, &shape), TN_INVALID_ARGUMENT);
    cr_assert_eq(tni_reshape_resolve(&view, 2, NULL, 0, &shape), TN_INVALID_ARGUMENT);
}
