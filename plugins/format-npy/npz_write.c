/*
 * Writes a zip container front to back: each entry's header and data, then the directory. Of an
 * entry only the checksum is kept in between; the rest is found anew.
 */
#include <zlib.h>

#include "npy.h"
#include "npz.h"
#include "npz_sparse.h"
#include "zip.h"
#include "zip_layout.h"

enum {
    ZIP_VERSION = 20,
    DOS_DATE_1980 = 0x0021,
    NAME_SIZE = 65535 - 16, /* what a zip entry can have, less the endings */
};

#define ARRAY_ENDING ".npy"

/* One array: a tensor, or part of a sparse one. */
struct item {
    const tn_named_tensor *tensor;
    uint32_t index; /* of the tensor */
    uint32_t part;  /* NPZ_PART_COUNT: the tensor itself */
};

/* What is known of an entry before its data. */
struct written_entry {
    const char *name; /* without what follows it */
    uint32_t name_length;
    char suffix[16]; /* "/indices", or "" */
    uint32_t suffix_length;
    uint32_t flags;
    uint32_t crc;
    uint32_t size;
    const void *data;
    uint64_t data_size;
    uint64_t header_size;
    char header[NPY_HEADER_SIZE];
    char made_name[24];
};

/* A record under construction. */
struct record {
    uint8_t bytes[ZIP_CENTRAL_SIZE];
    size_t size;
};

static void put_u16(struct record *record, uint32_t value) {
    const uint16_t field = (uint16_t)value;
    memcpy(record->bytes + record->size, &field, sizeof field);
    record->size += sizeof field;
}

static void put_u32(struct record *record, uint64_t value) {
    const uint32_t field = (uint32_t)value;
    memcpy(record->bytes + record->size, &field, sizeof field);
    record->size += sizeof field;
}

static tn_status write_record(const tn_byte_sink *sink, const struct record *record) {
    return sink->write(sink->context, record->bytes, record->size);
}

static tn_status write_name(const tn_byte_sink *sink, const struct written_entry *entry) {
    TN_TRY(sink->write(sink->context, entry->name, entry->name_length));
    TN_TRY(sink->write(sink->context, entry->suffix, entry->suffix_length));
    return sink->write(sink->context, ARRAY_ENDING, sizeof ARRAY_ENDING - 1);
}

static uint32_t name_flags(const char *name) {
    for (; *name != '\0'; name++) {
        if ((unsigned char)*name >= 0x80) {
            return ZIP_FLAG_UTF8;
        }
    }
    return 0;
}

/* The array of a part; `extents` has room for its shape. */
static tn_view part_view(const tn_view *view, const tn_sparse *sparse, uint32_t part,
                         int64_t *extents) {
    tn_view result = {.device = view->device, .rank = 1, .dtype = TN_I64, .shape = extents};
    extents[0] = sparse->stored_count;
    switch (part) {
    case NPZ_DATA:
        result.data = sparse->values;
        result.dtype = view->dtype;
        result.rank = sparse->storage == TN_STORAGE_CSR ? 1 : view->rank;
        for (int32_t axis = 1; axis < result.rank; axis++) {
            extents[axis] = view->shape[axis];
        }
        break;
    case NPZ_INDICES: result.data = sparse->indices; break;
    case NPZ_ROW_STARTS:
        result.data = sparse->row_starts;
        extents[0] = view->shape[0] + 1;
        break;
    default:
        result.data = (void *)(uintptr_t)view->shape; /* only read from */
        extents[0] = view->rank;
        break;
    }
    return result;
}

static tn_status describe_array(const tn_host *host, const tn_view *view,
                                struct written_entry *entry) {
    TN_TRY(npy_make_header(host, view, entry->header, &entry->header_size));
    entry->data_size = tn_byte_size(view);
    entry->data = entry->data_size > 0 ? tn_data(view) : NULL;
    return TN_OK;
}

static tn_status describe_part(const tn_host *host, const struct item *item, const tn_view *view,
                               struct written_entry *entry) {
    const tn_sparse *sparse = tn_sparse_of(view);
    snprintf(entry->suffix, sizeof entry->suffix, "%s%s", entry->name_length > 0 ? "/" : "",
             npz_part_names[item->part]);
    if (item->part == NPZ_FORMAT) {
        entry->data = tn_storage_name(sparse->storage);
        entry->data_size = strlen(tn_storage_name(sparse->storage));
        npy_make_text_header(entry->data_size, entry->header, &entry->header_size);
        return TN_OK;
    }
    int64_t extents[TN_MAX_RANK];
    const tn_view part = part_view(view, sparse, item->part, extents);
    return describe_array(host, &part, entry);
}

static tn_status describe_name(const tn_host *host, const struct item *item, uint32_t tensor_count,
                               struct written_entry *entry) {
    entry->name = item->tensor->name;
    if (entry->name == NULL) {
        /* One sparse tensor by itself is what SciPy reads and writes. */
        const int is_alone = tensor_count == 1 && item->part != NPZ_PART_COUNT;
        snprintf(entry->made_name, sizeof entry->made_name, is_alone ? "" : "arr_%u",
                 (unsigned)item->index);
        entry->name = entry->made_name;
    }
    const size_t length = strlen(entry->name);
    if (length > NAME_SIZE) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the name '%.80s…' is longer than %d bytes",
                       entry->name, NAME_SIZE);
    }
    entry->name_length = (uint32_t)length;
    entry->flags = name_flags(entry->name);
    return TN_OK;
}

static tn_status describe(const tn_host *host, const struct item *item, uint32_t tensor_count,
                          struct written_entry *entry) {
    const tn_view *view = TN_SERVICE(host, tensor)->view(host, item->tensor->tensor);
    TN_TRY(describe_name(host, item, tensor_count, entry));
    entry->suffix[0] = '\0';
    TN_TRY(item->part == NPZ_PART_COUNT ? describe_array(host, view, entry)
                                        : describe_part(host, item, view, entry));
    entry->suffix_length = (uint32_t)strlen(entry->suffix);
    if (entry->data_size > UINT32_MAX - 1 - entry->header_size) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "'%.80s' has %llu bytes: an .npz file holds arrays of less than 4 GiB here",
                       entry->name, (unsigned long long)entry->data_size);
    }
    entry->size = (uint32_t)(entry->header_size + entry->data_size);
    return TN_OK;
}

static uint32_t checksum(const struct written_entry *entry) {
    const uLong crc = crc32_z(0, (const Bytef *)entry->header, entry->header_size);
    return (uint32_t)(entry->data_size > 0 ? crc32_z(crc, entry->data, entry->data_size) : crc);
}

static uint32_t full_name_length(const struct written_entry *entry) {
    return entry->name_length + entry->suffix_length + (uint32_t)sizeof ARRAY_ENDING - 1;
}

/* The fields that local and central headers share, from the needed version on. */
static void put_common(struct record *record, const struct written_entry *entry) {
    put_u16(record, ZIP_VERSION);
    put_u16(record, entry->flags);
    put_u16(record, ZIP_STORED);
    put_u16(record, 0); /* time */
    put_u16(record, DOS_DATE_1980);
    put_u32(record, entry->crc);
    put_u32(record, entry->size);
    put_u32(record, entry->size);
    put_u16(record, full_name_length(entry));
    put_u16(record, 0); /* extra fields */
}

static uint64_t local_size(const struct written_entry *entry) {
    return (uint64_t)ZIP_LOCAL_SIZE + full_name_length(entry) + entry->size;
}

static uint64_t central_size(const struct written_entry *entry) {
    return (uint64_t)ZIP_CENTRAL_SIZE + full_name_length(entry);
}

static tn_status write_local(const tn_byte_sink *sink, const struct written_entry *entry) {
    struct record record = {.size = 0};
    put_u32(&record, ZIP_LOCAL_MARK);
    put_common(&record, entry);
    TN_TRY(write_record(sink, &record));
    TN_TRY(write_name(sink, entry));
    TN_TRY(sink->write(sink->context, entry->header, entry->header_size));
    return entry->data_size == 0 ? TN_OK
                                 : sink->write(sink->context, entry->data, entry->data_size);
}

static tn_status write_central(const tn_byte_sink *sink, const struct written_entry *entry,
                               uint64_t local_offset) {
    struct record record = {.size = 0};
    put_u32(&record, ZIP_CENTRAL_MARK);
    put_u16(&record, ZIP_VERSION);
    put_common(&record, entry);
    put_u16(&record, 0); /* comment */
    put_u16(&record, 0); /* disk */
    put_u16(&record, 0); /* attributes */
    put_u32(&record, 0);
    put_u32(&record, local_offset);
    TN_TRY(write_record(sink, &record));
    return write_name(sink, entry);
}

static tn_status write_end(const tn_byte_sink *sink, uint32_t count, uint64_t directory_offset,
                           uint64_t directory_size) {
    struct record record = {.size = 0};
    put_u32(&record, ZIP_END_MARK);
    put_u32(&record, 0); /* disks */
    put_u16(&record, count);
    put_u16(&record, count);
    put_u32(&record, directory_size);
    put_u32(&record, directory_offset);
    put_u16(&record, 0); /* comment */
    return write_record(sink, &record);
}

/* The arrays to write, and where their checksums are kept. */
struct item_list {
    struct item *items;
    uint32_t *checksums;
    uint32_t count, tensor_count;
};

/* What the whole file takes, before any of it is written. */
static tn_status check_total(const tn_host *host, const struct item_list *list) {
    uint64_t total = ZIP_END_SIZE;
    for (uint32_t i = 0; i < list->count; i++) {
        struct written_entry entry;
        TN_TRY(describe(host, &list->items[i], list->tensor_count, &entry));
        total += local_size(&entry) + central_size(&entry);
    }
    if (list->count >= UINT16_MAX || total >= UINT32_MAX) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "%u arrays of %llu bytes need zip64: an .npz file has fewer than 65535 "
                       "arrays and less than 4 GiB here",
                       (unsigned)list->count, (unsigned long long)total);
    }
    return TN_OK;
}

static tn_status write_all(const tn_host *host, const struct item_list *list,
                           const tn_byte_sink *sink) {
    struct written_entry entry;
    uint64_t directory_offset = 0, directory_size = 0, local_offset = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        TN_TRY(describe(host, &list->items[i], list->tensor_count, &entry));
        list->checksums[i] = entry.crc = checksum(&entry);
        TN_TRY(write_local(sink, &entry));
        directory_offset += local_size(&entry);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        TN_TRY(describe(host, &list->items[i], list->tensor_count, &entry));
        entry.crc = list->checksums[i];
        TN_TRY(write_central(sink, &entry, local_offset));
        local_offset += local_size(&entry);
        directory_size += central_size(&entry);
    }
    return write_end(sink, list->count, directory_offset, directory_size);
}

static void list_items(const tn_host *host, const tn_named_tensor *tensors,
                       struct item_list *list) {
    for (uint32_t i = 0; i < list->tensor_count; i++) {
        const uint32_t storage = TN_SERVICE(host, sparse)->storage(host, tensors[i].tensor);
        const int is_sparse = tn_storage_is_sparse(storage);
        for (uint32_t part = is_sparse ? 0 : NPZ_PART_COUNT; part <= NPZ_PART_COUNT; part++) {
            const int is_there = is_sparse ? part != NPZ_PART_COUNT : 1;
            if (is_there && (part != NPZ_ROW_STARTS || storage == TN_STORAGE_CSR)) {
                list->items[list->count++] = (struct item){&tensors[i], i, part};
            }
        }
    }
}

tn_status npz_write(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                    const tn_byte_sink *sink) {
    const tn_memory_service *memory = TN_SERVICE(host, memory);
    const uint64_t most = (uint64_t)count * NPZ_PART_COUNT + 1;
    struct item_list list = {.tensor_count = count};
    list.items = memory->allocate(host, most * (sizeof *list.items + sizeof *list.checksums));
    if (list.items == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for a list of %u arrays",
                       (unsigned)count);
    }
    list.checksums = (uint32_t *)(list.items + most);
    list_items(host, tensors, &list);
    tn_status status = check_total(host, &list);
    if (status == TN_OK) {
        status = write_all(host, &list, sink);
    }
    memory->free(host, list.items);
    return status;
}
