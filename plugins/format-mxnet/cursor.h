/* A place in the bytes of an array list. All numbers in it are little-endian and unaligned. */
#ifndef FORMAT_MXNET_CURSOR_H
#define FORMAT_MXNET_CURSOR_H

#include <tenon/plugin.h>

struct cursor {
    const char *where; /* goes in front of messages: "", or "'model-0000.params': " */
    const uint8_t *data;
    uint64_t size;
    uint64_t offset; /* at most `size` */
};

static inline uint64_t cursor_left(const struct cursor *cursor) {
    return cursor->size - cursor->offset;
}

/* Each fails with CORRUPT, saying where the bytes ended, inside `what`. */

static inline tn_status cursor_require(const tn_host *host, const struct cursor *cursor,
                                       uint64_t count, const char *what) {
    if (count > cursor_left(cursor)) {
        return tn_fail(host, TN_CORRUPT,
                       "%sbyte %llu: %s needs %llu bytes, but only %llu are left in the file",
                       cursor->where, (unsigned long long)cursor->offset, what,
                       (unsigned long long)count, (unsigned long long)cursor_left(cursor));
    }
    return TN_OK;
}

static inline tn_status cursor_take(const tn_host *host, struct cursor *cursor, uint64_t count,
                                    const char *what, const uint8_t **out_bytes) {
    TN_TRY(cursor_require(host, cursor, count, what));
    *out_bytes = cursor->data + cursor->offset;
    cursor->offset += count;
    return TN_OK;
}

static inline tn_status cursor_read(const tn_host *host, struct cursor *cursor, size_t size,
                                    const char *what, void *out_value) {
    TN_TRY(cursor_require(host, cursor, size, what));
    memcpy(out_value, cursor->data + cursor->offset, size);
    cursor->offset += size;
    return TN_OK;
}

#endif
