/*
 * Sequences: any number of tensors of any types as one value. A tensor of dtype TN_SEQUENCE has
 * rank 1 and as many elements as the sequence takes bytes: the number of tensors, then a
 * tn_sequence_entry for each, then at `place` its extents (int64) and, at the next multiple of 64
 * from the sequence's beginning, its elements, compact and row-major. A tensor in it may be a
 * sequence itself.
 *
 * A sequence of no bytes at all is nothing, which is what an empty optional value holds; one that
 * is not empty is the value itself. A sequence without tensors is 8 bytes long.
 *
 * Bytes that come from elsewhere are not trusted: whoever looks a tensor up is told when it does
 * not lie within them.
 */
#ifndef TENON_PLUGIN_SEQUENCE_H
#define TENON_PLUGIN_SEQUENCE_H

#include <tenon/plugin/helpers.h>

#define TN_SEQUENCE_ALIGNMENT 64u

/* A value: it is frozen as it stands. */
typedef struct tn_sequence_entry {
    uint64_t place; /* in bytes from the sequence's beginning; a multiple of 64 */
    tn_dtype dtype;
    int32_t rank;
} tn_sequence_entry;

TN_INLINE_ int tn_sequence_is_nothing(const tn_view *view) {
    return view->dtype == TN_SEQUENCE && tn_element_count(view) == 0;
}

/* How many tensors there are; -1 when the bytes are not those of a sequence. */
TN_INLINE_ int64_t tn_sequence_count(const tn_view *view) {
    const uint64_t size = view->dtype == TN_SEQUENCE ? tn_byte_size(view) : 0;
    int64_t count;
    if (size < sizeof count || (uintptr_t)tn_data(view) % sizeof count != 0) {
        return -1;
    }
    memcpy(&count, tn_data(view), sizeof count);
    return count < 0 || (uint64_t)count > (size - sizeof count) / sizeof(tn_sequence_entry) ? -1
                                                                                            : count;
}

TN_INLINE_ uint64_t tn_sequence_round_up(uint64_t size) {
    return (size + TN_SEQUENCE_ALIGNMENT - 1) / TN_SEQUENCE_ALIGNMENT * TN_SEQUENCE_ALIGNMENT;
}

/* Tensor number `index`, in the memory of `view`. 0 when there is none, or it does not lie within
 * the sequence. */
TN_INLINE_ int tn_sequence_item(const tn_view *view, int64_t index, tn_view *out_item) {
    const int64_t count = tn_sequence_count(view);
    tn_sequence_entry entry;
    if (index < 0 || index >= count) {
        return 0;
    }
    const char *bytes = (const char *)tn_data(view);
    memcpy(&entry, bytes + sizeof count + (uint64_t)index * sizeof entry, sizeof entry);
    const uint64_t size = tn_byte_size(view);
    if (entry.rank < 0 || entry.rank > TN_MAX_RANK || entry.place % TN_SEQUENCE_ALIGNMENT != 0 ||
        entry.place > size || size - entry.place < (uint64_t)entry.rank * sizeof(int64_t) ||
        TN_DTYPE_SIZE(entry.dtype) == 0) {
        return 0;
    }
    const int64_t *extents = (const int64_t *)(const void *)(bytes + entry.place);
    const uint64_t first =
        tn_sequence_round_up(entry.place + (uint64_t)entry.rank * sizeof(int64_t));
    uint64_t wanted = TN_DTYPE_SIZE(entry.dtype);
    for (int32_t axis = 0; axis < entry.rank; axis++) {
        if (extents[axis] < 0 || __builtin_mul_overflow(wanted, (uint64_t)extents[axis], &wanted)) {
            return 0;
        }
    }
    if (wanted > 0 && (first > size || size - first < wanted)) {
        return 0;
    }
    *out_item = *view;
    out_item->dtype = entry.dtype;
    out_item->rank = entry.rank;
    out_item->shape = extents;
    out_item->strides = NULL;
    out_item->byte_offset = view->byte_offset + (wanted > 0 ? first : 0);
    return 1;
}

/* The bytes that a sequence of these tensors takes. */
TN_INLINE_ uint64_t tn_sequence_size(const tn_view *items, int64_t count) {
    uint64_t size = sizeof count + (uint64_t)count * sizeof(tn_sequence_entry);
    for (int64_t i = 0; i < count; i++) {
        size = tn_sequence_round_up(size) + (uint64_t)items[i].rank * sizeof(int64_t);
        size = tn_sequence_round_up(size) + tn_byte_size(&items[i]);
    }
    return size;
}

/* Writes a sequence of these tensors, compact and in host memory, into as many bytes. */
TN_INLINE_ void tn_sequence_write(const tn_view *items, int64_t count, void *target) {
    char *bytes = (char *)target;
    uint64_t size = sizeof count + (uint64_t)count * sizeof(tn_sequence_entry);
    memcpy(bytes, &count, sizeof count);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t place = tn_sequence_round_up(size);
        const tn_sequence_entry entry = {place, items[i].dtype, items[i].rank};
        const uint64_t shape = (uint64_t)entry.rank * sizeof(int64_t);
        const uint64_t first = tn_sequence_round_up(place + shape);
        memcpy(bytes + sizeof count + (uint64_t)i * sizeof entry, &entry, sizeof entry);
        memset(bytes + size, 0, first - size);
        if (shape > 0) {
            memcpy(bytes + place, items[i].shape, shape);
        }
        size = first + tn_byte_size(&items[i]);
        if (size > first) {
            memcpy(bytes + first, tn_data(&items[i]), size - first);
        }
    }
}

#endif
