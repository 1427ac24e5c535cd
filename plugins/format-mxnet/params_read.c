/*
 * Reads a list of arrays. Names come after all arrays in the file, so it goes over the list twice:
 * first it checks everything and finds the names, then it makes the tensors.
 */
#include "ndarray.h"
#include "params.h"

/* What the first pass finds. */
struct params_index {
    uint64_t array_count;
    uint64_t longest_name;
    struct cursor arrays; /* at the first array */
    struct cursor names;  /* at the first name */
    int32_t has_names;
};

static tn_status read_count(const tn_host *host, struct cursor *cursor, const char *what,
                            uint64_t smallest_item, uint64_t *out_count) {
    TN_TRY(cursor_read(host, cursor, sizeof *out_count, what, out_count));
    if (*out_count > cursor_left(cursor) / smallest_item) {
        return tn_fail(host, TN_CORRUPT, "%s%s is %llu, more than the %llu bytes left can hold",
                       cursor->where, what, (unsigned long long)*out_count,
                       (unsigned long long)cursor_left(cursor));
    }
    return TN_OK;
}

static tn_status read_header(const tn_host *host, struct cursor *cursor, uint64_t *out_count) {
    uint64_t magic, reserved;
    TN_TRY(cursor_read(host, cursor, sizeof magic, "the mark of an array list", &magic));
    if (magic != PARAMS_MAGIC) {
        const int is_zip = (magic & 0xffffu) == 0x4b50u; /* "PK" */
        return tn_fail(host, TN_CORRUPT,
                       "%san array list begins with 0x112, but this file with 0x%llx%s",
                       cursor->where, (unsigned long long)magic,
                       is_zip ? ": it is an .npz file (MXNet 2 writes them), read it as npz" : "");
    }
    TN_TRY(cursor_read(host, cursor, sizeof reserved, "the header of an array list", &reserved));
    return read_count(host, cursor, "the number of arrays", sizeof(uint32_t), out_count);
}

/* Goes past a name that is `out_length` bytes long and stands right before the cursor then. */
static tn_status take_name(const tn_host *host, struct cursor *cursor, uint64_t *out_length) {
    const uint8_t *name = NULL;
    TN_TRY(cursor_read(host, cursor, sizeof *out_length, "the length of a name", out_length));
    TN_TRY(cursor_take(host, cursor, *out_length, "a name", &name));
    if (memchr(name, '\0', *out_length) != NULL) {
        return tn_fail(host, TN_CORRUPT, "%sbyte %llu: a name with a zero byte in it",
                       cursor->where, (unsigned long long)(cursor->offset - *out_length));
    }
    return TN_OK;
}

static tn_status index_names(const tn_host *host, struct cursor *cursor,
                             struct params_index *index) {
    uint64_t count;
    TN_TRY(read_count(host, cursor, "the number of names", sizeof(uint64_t), &count));
    if (count != 0 && count != index->array_count) {
        return tn_fail(host, TN_CORRUPT, "%s%llu arrays, but %llu names: expected as many, or none",
                       cursor->where, (unsigned long long)index->array_count,
                       (unsigned long long)count);
    }
    index->has_names = count != 0;
    index->names = *cursor;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length = 0;
        TN_TRY(take_name(host, cursor, &length));
        if (length > index->longest_name) {
            index->longest_name = length;
        }
    }
    return TN_OK;
}

static tn_status index_list(const tn_host *host, const char *where, const void *data, uint64_t size,
                            struct params_index *index) {
    struct cursor cursor = {where, (const uint8_t *)data, size, 0};
    TN_TRY(read_header(host, &cursor, &index->array_count));
    index->arrays = cursor;
    for (uint64_t i = 0; i < index->array_count; i++) {
        struct ndarray_record record;
        TN_TRY(ndarray_read(host, &cursor, &record));
    }
    TN_TRY(index_names(host, &cursor, index));
    if (cursor_left(&cursor) != 0) {
        return tn_fail(host, TN_CORRUPT, "%sbyte %llu: %llu bytes follow the end of the array list",
                       where, (unsigned long long)cursor.offset,
                       (unsigned long long)cursor_left(&cursor));
    }
    return TN_OK;
}

/* `name` has room for the longest name and a zero byte. */
static tn_status deliver_next(const tn_host *host, struct params_index *index, char *name,
                              const tn_tensor_sink *sink) {
    struct ndarray_record record;
    TN_TRY(ndarray_read(host, &index->arrays, &record));
    if (index->has_names) {
        uint64_t length = 0;
        TN_TRY(take_name(host, &index->names, &length));
        memcpy(name, index->names.data + index->names.offset - length, length);
        name[length] = '\0';
    }
    tn_tensor *tensor;
    TN_TRY(ndarray_to_tensor(host, &record, &tensor));
    const tn_status status = sink->add(sink->context, index->has_names ? name : NULL, tensor);
    TN_SERVICE(host, tensor)->release(host, tensor);
    return status;
}

tn_status params_read(const tn_host *host, const char *where, const void *data, uint64_t size,
                      const tn_tensor_sink *sink) {
    struct params_index index;
    memset(&index, 0, sizeof index);
    TN_TRY(index_list(host, where, data, size, &index));
    void *name;
    TN_TRY(tn_allocate(host, index.longest_name + 1, sizeof(char), &name));
    tn_status status = TN_OK;
    for (uint64_t i = 0; i < index.array_count && status == TN_OK; i++) {
        status = deliver_next(host, &index, name, sink);
    }
    tn_free(host, name);
    return status;
}
