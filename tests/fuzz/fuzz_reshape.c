/*
 * Fuzz target: MXNet's reshape codes. The input is the direction, the source's rank, its extents
 * (two bytes each), and the request (one signed byte an item, or eight behind the byte 127).
 */
#include <string.h>

#include "fuzz.h"
#include "tensor/tensor.h"

typedef struct reader {
    const uint8_t *data;
    size_t size;
} reader;

/* Zero when there is nothing left. */
static uint64_t take(reader *from, size_t bytes) {
    uint64_t value = 0;
    if (from->size >= bytes) {
        memcpy(&value, from->data, bytes);
        from->data += bytes;
        from->size -= bytes;
    } else {
        from->size = 0;
    }
    return value;
}

/* 0 when any extent is. */
static uint64_t element_count(const int64_t *extents, int32_t rank) {
    uint64_t count = 1;
    int overflows = 0, is_empty = 0;
    for (int32_t axis = 0; axis < rank; axis++) {
        FUZZ_EXPECT(extents[axis] >= 0);
        is_empty |= extents[axis] == 0;
        overflows |= __builtin_mul_overflow(count, (uint64_t)extents[axis], &count);
    }
    FUZZ_EXPECT(is_empty || !overflows);
    return is_empty ? 0 : count;
}

/* A source as tensors have it: its size can be counted. */
static int read_source(reader *from, int64_t *extents, int32_t *out_rank) {
    uint64_t size = 1;
    *out_rank = (int32_t)(take(from, 1) % (TN_MAX_RANK + 1));
    for (int32_t axis = 0; axis < *out_rank; axis++) {
        extents[axis] = (int64_t)take(from, 2);
        const uint64_t factor = extents[axis] == 0 ? 1 : (uint64_t)extents[axis];
        if (__builtin_mul_overflow(size, factor, &size) || size > INT64_MAX) {
            return 0;
        }
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST = 128 };
    reader from = {data, size};
    int64_t extents[TN_MAX_RANK], request[MOST];
    tn_view source = {.dtype = TN_F32, .shape = extents};
    int32_t count = 0;
    tn_shape shape;
    const int32_t reverse = (int32_t)(take(&from, 1) & 1);
    if (!read_source(&from, extents, &source.rank)) {
        return 0;
    }
    while (from.size > 0 && count < MOST) {
        const int8_t item = (int8_t)take(&from, 1);
        request[count++] = item == INT8_MAX ? (int64_t)take(&from, 8) : item;
    }
    if (tni_reshape_resolve(&source, count, request, reverse, &shape) == TN_OK) {
        FUZZ_EXPECT(shape.rank >= 0 && shape.rank <= TN_MAX_RANK);
        FUZZ_EXPECT(element_count(shape.extents, shape.rank) ==
                    element_count(extents, source.rank));
    } else {
        FUZZ_EXPECT(tn_error_message()[0] != '\0');
    }
    return 0;
}
