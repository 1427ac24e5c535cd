/* Sequences of tensors in the bytes of one (tenon/plugin/sequence.h). */
#include <criterion/criterion.h>
#include <stdlib.h>

#include <tenon/plugin/sequence.h>

static tn_view view_of(void *data, tn_dtype dtype, int32_t rank, const int64_t *shape) {
    return (tn_view){.data = data, .device = {1, 0}, .rank = rank, .dtype = dtype, .shape = shape};
}

/* Memory as tensors have it. */
static tn_view sequence_of(const tn_view *items, int64_t count, int64_t *size) {
    *size = (int64_t)tn_sequence_size(items, count);
    char *bytes = aligned_alloc(64, (size_t)tn_sequence_round_up((uint64_t)*size));
    cr_assert(bytes != NULL);
    memset(bytes, 0xee, (size_t)*size);
    tn_sequence_write(items, count, bytes);
    return view_of(bytes, TN_SEQUENCE, 1, size);
}

Test(sequence, tensors_come_out_as_they_went_in) {
    float numbers[] = {1, 2, 3};
    int64_t one = 7, size, inner_size;
    const int64_t row[] = {1, 3}, none[] = {4, 0};
    const tn_view pair[] = {view_of(numbers, TN_F32, 2, row), view_of(&one, TN_I64, 0, NULL)};
    const tn_view inner = sequence_of(pair, 2, &inner_size);
    const tn_view all[] = {pair[0], inner, view_of(NULL, TN_U8, 2, none)};
    const tn_view sequence = sequence_of(all, 3, &size);
    tn_view item, deep;
    cr_expect_eq(tn_sequence_count(&sequence), 3);
    cr_assert(tn_sequence_item(&sequence, 0, &item));
    cr_expect(item.rank == 2 && item.shape[1] == 3 && item.dtype == TN_F32);
    cr_expect_eq(((float *)tn_data(&item))[2], 3);
    cr_expect_eq((uintptr_t)tn_data(&item) % 64, 0u);
    cr_assert(tn_sequence_item(&sequence, 1, &item));
    cr_expect_eq(tn_sequence_count(&item), 2);
    cr_assert(tn_sequence_item(&item, 1, &deep));
    cr_expect(deep.rank == 0 && *(int64_t *)tn_data(&deep) == 7);
    cr_assert(tn_sequence_item(&sequence, 2, &item));
    cr_expect(item.shape[0] == 4 && tn_element_count(&item) == 0);
    cr_expect_not(tn_sequence_item(&sequence, 3, &item));
    cr_expect_not(tn_sequence_item(&sequence, -1, &item));
    free(inner.data);
    free(sequence.data);
}

Test(sequence, nothing_is_not_an_empty_sequence) {
    int64_t size, no_bytes = 0;
    const tn_view empty = sequence_of(NULL, 0, &size);
    const tn_view nothing = view_of(empty.data, TN_SEQUENCE, 1, &no_bytes);
    const tn_view bytes = view_of(empty.data, TN_U8, 1, &size);
    cr_expect(tn_sequence_count(&empty) == 0 && !tn_sequence_is_nothing(&empty));
    cr_expect(tn_sequence_count(&nothing) == -1 && tn_sequence_is_nothing(&nothing));
    cr_expect(tn_sequence_count(&bytes) == -1 && !tn_sequence_is_nothing(&bytes));
    free(empty.data);
}

/* Every byte changed to several others, and the end cut off: a tensor that is found lies within. */
Test(sequence, wrong_bytes_lead_nowhere) {
    float numbers[] = {1, 2};
    const int64_t two = 2;
    int64_t size;
    const tn_view items[] = {view_of(numbers, TN_F32, 1, &two), view_of(numbers, TN_F32, 1, &two)};
    const tn_view sequence = sequence_of(items, 2, &size);
    unsigned char *bytes = sequence.data;
    const int64_t whole = size;
    for (int64_t at = 0; at < whole; at++) {
        const unsigned char before = bytes[at];
        for (int value = 0; value < 256; value += 15) {
            bytes[at] = (unsigned char)value;
            for (size = whole; size >= 0; size -= 13) {
                tn_view item;
                for (int64_t i = 0; i < 4 && tn_sequence_item(&sequence, i, &item); i++) {
                    const char *first = tn_data(&item);
                    cr_assert((const unsigned char *)first >= bytes);
                    cr_assert((const unsigned char *)first + tn_byte_size(&item) <= bytes + size,
                              "byte %d as %d, cut to %d", (int)at, value, (int)size);
                }
            }
        }
        bytes[at] = before;
    }
    free(sequence.data);
}
