#include <zlib.h>

#include "zip.h"
#include "zip_layout.h"

/* Deflate makes at most 1032 bytes of one. */
enum { DEFLATE_MAX_RATIO = 1032 };

/* The record at the end, before a comment that reaches exactly to the end of the file. */
static const uint8_t *find_end_record(const uint8_t *data, uint64_t size) {
    for (uint64_t comment = 0; comment <= ZIP_END_LONGEST_COMMENT && comment + ZIP_END_SIZE <= size;
         comment++) {
        const uint8_t *record = data + size - ZIP_END_SIZE - comment;
        if (zip_u32(record) == ZIP_END_MARK &&
            zip_u16(record + ZIP_END_COMMENT_LENGTH) == comment) {
            return record;
        }
    }
    return NULL;
}

static int has_zip64_locator(const uint8_t *data, const uint8_t *end_record) {
    return end_record - data >= ZIP_END64_LOCATOR_SIZE &&
           zip_u32(end_record - ZIP_END64_LOCATOR_SIZE) == ZIP_END64_LOCATOR_MARK;
}

tn_status zip_open(const tn_host *host, const uint8_t *data, uint64_t size,
                   struct zip_archive *out_archive) {
    const uint8_t *end = find_end_record(data, size);
    if (end == NULL) {
        return tn_fail(host, TN_CORRUPT, "this is no zip file: it has no directory at its end");
    }
    const uint32_t offset = zip_u32(end + ZIP_END_DIRECTORY_OFFSET);
    const uint32_t directory_size = zip_u32(end + ZIP_END_DIRECTORY_SIZE);
    const uint32_t count = zip_u16(end + ZIP_END_ENTRIES);
    if (has_zip64_locator(data, end) || offset == UINT32_MAX || count == UINT16_MAX) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "this is a zip64 file, as large ones are: only zip files below 4 GiB with "
                       "fewer than 65535 entries can be read");
    }
    if (zip_u16(end + ZIP_END_DISK) != 0 || zip_u16(end + ZIP_END_DIRECTORY_DISK) != 0 ||
        zip_u16(end + ZIP_END_ENTRIES_ON_DISK) != count) {
        return tn_fail(host, TN_UNSUPPORTED, "a zip file in several parts cannot be read");
    }
    const uint64_t end_offset = (uint64_t)(end - data);
    if ((uint64_t)offset + directory_size != end_offset ||
        (uint64_t)count * ZIP_CENTRAL_SIZE > directory_size) {
        return tn_fail(host, TN_CORRUPT,
                       "the directory of %u entries from byte %u on, %u bytes long, does not reach "
                       "to the end record at byte %llu",
                       (unsigned)count, (unsigned)offset, (unsigned)directory_size,
                       (unsigned long long)end_offset);
    }
    *out_archive = (struct zip_archive){data, size, offset, end_offset, count, size};
    return TN_OK;
}

/* The entry's data lies behind its local header, whose sizes may be left to the directory. */
static tn_status find_data(const tn_host *host, struct zip_archive *archive, uint64_t local_offset,
                           struct zip_entry *entry) {
    const uint64_t left =
        archive->size - (local_offset < archive->size ? local_offset : archive->size);
    const uint8_t *local = archive->data + local_offset;
    if (left < ZIP_LOCAL_SIZE || zip_u32(local) != ZIP_LOCAL_MARK) {
        return tn_fail(host, TN_CORRUPT, "entry '%.*s': there is no entry at byte %llu",
                       (int)entry->name_length, entry->name, (unsigned long long)local_offset);
    }
    const uint64_t data_offset = (uint64_t)ZIP_LOCAL_SIZE + zip_u16(local + ZIP_LOCAL_NAME_LENGTH) +
                                 zip_u16(local + ZIP_LOCAL_EXTRA_LENGTH);
    if (data_offset > left || entry->compressed_size > left - data_offset) {
        return tn_fail(host, TN_CORRUPT,
                       "entry '%.*s': %u bytes from byte %llu on reach beyond the end of the file",
                       (int)entry->name_length, entry->name, (unsigned)entry->compressed_size,
                       (unsigned long long)(local_offset + data_offset));
    }
    if (entry->compressed_size > archive->bytes_left) {
        return tn_fail(host, TN_CORRUPT, "entry '%.*s': its data overlaps that of other entries",
                       (int)entry->name_length, entry->name);
    }
    archive->bytes_left -= entry->compressed_size;
    entry->compressed = local + data_offset;
    return TN_OK;
}

static tn_status check_entry(const tn_host *host, const struct zip_entry *entry, uint32_t flags) {
    if (entry->size == UINT32_MAX || entry->compressed_size == UINT32_MAX) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "entry '%.*s' is a zip64 entry, of 4 GiB or more: this cannot be read",
                       (int)entry->name_length, entry->name);
    }
    if (flags & ZIP_FLAG_ENCRYPTED) {
        return tn_fail(host, TN_UNSUPPORTED, "entry '%.*s' is encrypted", (int)entry->name_length,
                       entry->name);
    }
    if (entry->method != ZIP_STORED && entry->method != ZIP_DEFLATED) {
        return tn_fail(host, TN_UNSUPPORTED,
                       "entry '%.*s' is packed by method %u: expected 0 (stored) or 8 (deflated)",
                       (int)entry->name_length, entry->name, (unsigned)entry->method);
    }
    const uint64_t most = entry->method == ZIP_STORED
                              ? entry->compressed_size
                              : (uint64_t)entry->compressed_size * DEFLATE_MAX_RATIO;
    if (entry->size > most) {
        return tn_fail(host, TN_CORRUPT, "entry '%.*s': %u bytes cannot come from %u packed ones",
                       (int)entry->name_length, entry->name, (unsigned)entry->size,
                       (unsigned)entry->compressed_size);
    }
    return TN_OK;
}

tn_status zip_next(const tn_host *host, struct zip_archive *archive, struct zip_entry *out_entry) {
    const uint8_t *header = archive->data + archive->next_header;
    const uint64_t left = archive->directory_end - archive->next_header;
    if (left < ZIP_CENTRAL_SIZE || zip_u32(header) != ZIP_CENTRAL_MARK) {
        return tn_fail(host, TN_CORRUPT, "byte %llu: expected an entry of the zip directory",
                       (unsigned long long)archive->next_header);
    }
    struct zip_entry entry = {
        .name = (const char *)header + ZIP_CENTRAL_SIZE,
        .name_length = zip_u16(header + ZIP_CENTRAL_NAME_LENGTH),
        .method = zip_u16(header + ZIP_CENTRAL_METHOD),
        .crc = zip_u32(header + ZIP_CENTRAL_CRC),
        .compressed_size = zip_u32(header + ZIP_CENTRAL_COMPRESSED_SIZE),
        .size = zip_u32(header + ZIP_CENTRAL_UNPACKED_SIZE),
    };
    const uint64_t header_size = (uint64_t)ZIP_CENTRAL_SIZE + entry.name_length +
                                 zip_u16(header + ZIP_CENTRAL_EXTRA_LENGTH) +
                                 zip_u16(header + ZIP_CENTRAL_COMMENT_LENGTH);
    if (header_size > left || memchr(entry.name, '\0', entry.name_length) != NULL) {
        return tn_fail(host, TN_CORRUPT, "byte %llu: the name of an entry is not as it must be",
                       (unsigned long long)archive->next_header);
    }
    TN_TRY(check_entry(host, &entry, zip_u16(header + ZIP_CENTRAL_FLAGS)));
    TN_TRY(find_data(host, archive, zip_u32(header + ZIP_CENTRAL_LOCAL_OFFSET), &entry));
    archive->next_header += header_size;
    archive->entries_left--;
    *out_entry = entry;
    return TN_OK;
}

/* Whether exactly `entry->size` bytes come out. */
static int inflate_entry(const struct zip_entry *entry, uint8_t *target) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    stream.next_in = (Bytef *)(uintptr_t)entry->compressed;
    stream.avail_in = entry->compressed_size;
    stream.next_out = target;
    stream.avail_out = entry->size;
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return 0;
    }
    const int result = inflate(&stream, Z_FINISH);
    const int is_complete = result == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
    inflateEnd(&stream);
    return is_complete;
}

tn_status zip_unpack(const tn_host *host, const struct zip_entry *entry, uint8_t *target,
                     const uint8_t **out_bytes) {
    const int is_deflated = entry->method == ZIP_DEFLATED;
    const int is_complete =
        is_deflated ? inflate_entry(entry, target) : entry->compressed_size == entry->size;
    *out_bytes = is_deflated ? target : entry->compressed;
    if (!is_complete || crc32_z(0, *out_bytes, entry->size) != entry->crc) {
        return tn_fail(host, TN_CORRUPT,
                       "entry '%.*s' does not unpack to what the zip directory "
                       "says: its size or its checksum differs",
                       (int)entry->name_length, entry->name);
    }
    return TN_OK;
}
