/*
 * Writes a zip container front to back: each entry's header and data, then the directory. Of an
 * entry only the checksum is kept in between; the rest is found anew.
 */
#include <zlib.h>

#include "npy.h"
#include "npz.h"
#include "services.h"
#include "zip.h"
#include "zip_layout.h"

enum {
    ZIP_VERSION = 20,
    DOS_DATE_1980 = 0x0021,
    NAME_SIZE = 65535 - 8, /* what a zip entry can have, less the ending */
};

#define ARRAY_ENDING ".npy"

/* What is known of an entry before its data. */
struct written_entry {
    const char *name; /* without the ending */
    uint32_t name_length;
    uint32_t flags;
    uint32_t crc;
    uint32_t size;
    const tn_view *view;
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

static tn_status describe(const tn_host *host, const tn_named_tensor *tensors, uint32_t index,
                          struct written_entry *entry) {
    entry->view = tensor_service(host)->view(host, tensors[index].tensor);
    entry->name = tensors[index].name;
    if (entry->name == NULL) {
        snprintf(entry->made_name, sizeof entry->made_name, "arr_%u", (unsigned)index);
        entry->name = entry->made_name;
    }
    const size_t name_length = strlen(entry->name);
    if (name_length > NAME_SIZE) {
        return tn_fail(host, TN_INVALID_ARGUMENT, "the name '%.80s…' is longer than %d bytes",
                       entry->name, NAME_SIZE);
    }
    entry->name_length = (uint32_t)name_length;
    entry->flags = name_flags(entry->name);
    TN_TRY(npy_make_header(host, entry->view, entry->header, &entry->header_size));
    const uint64_t data_size = tn_byte_size(entry->view);
    if (data_size > UINT32_MAX - 1 - entry->header_size) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "'%.80s' has %llu bytes: an .npz file holds arrays of less than 4 GiB here",
                       entry->name, (unsigned long long)data_size);
    }
    entry->size = (uint32_t)(entry->header_size + data_size);
    return TN_OK;
}

static uint32_t checksum(const struct written_entry *entry) {
    const uint64_t data_size = entry->size - entry->header_size;
    const uLong crc = crc32_z(0, (const Bytef *)entry->header, entry->header_size);
    return (uint32_t)(data_size > 0 ? crc32_z(crc, tn_data(entry->view), data_size) : crc);
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
    put_u16(record, entry->name_length + (uint32_t)sizeof ARRAY_ENDING - 1);
    put_u16(record, 0); /* extra fields */
}

static uint64_t local_size(const struct written_entry *entry) {
    return (uint64_t)ZIP_LOCAL_SIZE + entry->name_length + sizeof ARRAY_ENDING - 1 + entry->size;
}

static uint64_t central_size(const struct written_entry *entry) {
    return (uint64_t)ZIP_CENTRAL_SIZE + entry->name_length + sizeof ARRAY_ENDING - 1;
}

static tn_status write_local(const tn_byte_sink *sink, const struct written_entry *entry) {
    struct record record = {.size = 0};
    put_u32(&record, ZIP_LOCAL_MARK);
    put_common(&record, entry);
    TN_TRY(write_record(sink, &record));
    TN_TRY(write_name(sink, entry));
    TN_TRY(sink->write(sink->context, entry->header, entry->header_size));
    const uint64_t data_size = entry->size - entry->header_size;
    return data_size == 0 ? TN_OK : sink->write(sink->context, tn_data(entry->view), data_size);
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

/* What the whole file takes, before any of it is written. */
static tn_status check_total(const tn_host *host, const tn_named_tensor *tensors, uint32_t count) {
    uint64_t total = ZIP_END_SIZE;
    for (uint32_t i = 0; i < count; i++) {
        struct written_entry entry;
        TN_TRY(describe(host, tensors, i, &entry));
        total += local_size(&entry) + central_size(&entry);
    }
    if (count >= UINT16_MAX || total >= UINT32_MAX) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "%u arrays of %llu bytes need zip64: an .npz file has fewer than 65535 "
                       "arrays and less than 4 GiB here",
                       (unsigned)count, (unsigned long long)total);
    }
    return TN_OK;
}

static tn_status write_all(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                           uint32_t *checksums, const tn_byte_sink *sink) {
    struct written_entry entry;
    uint64_t directory_offset = 0, directory_size = 0, local_offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(describe(host, tensors, i, &entry));
        checksums[i] = entry.crc = checksum(&entry);
        TN_TRY(write_local(sink, &entry));
        directory_offset += local_size(&entry);
    }
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(describe(host, tensors, i, &entry));
        entry.crc = checksums[i];
        TN_TRY(write_central(sink, &entry, local_offset));
        local_offset += local_size(&entry);
        directory_size += central_size(&entry);
    }
    return write_end(sink, count, directory_offset, directory_size);
}

tn_status npz_write(const tn_host *host, const tn_named_tensor *tensors, uint32_t count,
                    const tn_byte_sink *sink) {
    const tn_memory_service *memory = memory_service(host);
    TN_TRY(check_total(host, tensors, count));
    uint32_t *checksums = memory->allocate(host, ((uint64_t)count + 1) * sizeof *checksums);
    if (checksums == NULL) {
        return tn_fail(host, TN_OUT_OF_MEMORY, "no memory for %u checksums", (unsigned)count);
    }
    const tn_status status = write_all(host, tensors, count, checksums, sink);
    memory->free(host, checksums);
    return status;
}
