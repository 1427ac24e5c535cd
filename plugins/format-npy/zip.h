/*
 * The zip container of .npz files, as the central directory at its end describes it. Zip64, several
 * disks and encryption are refused.
 */
#ifndef FORMAT_NPY_ZIP_H
#define FORMAT_NPY_ZIP_H

#include <tenon/plugin.h>

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

struct zip_archive {
    const uint8_t *data;
    uint64_t size;
    uint64_t next_header; /* of the central directory */
    uint64_t directory_end;
    uint32_t entries_left;
    uint64_t bytes_left; /* of compressed data: entries must not share theirs */
};

/* An entry as it stands in the file. */
struct zip_entry {
    const char *name; /* not terminated */
    uint32_t name_length;
    uint32_t method; /* ZIP_… */
    uint32_t crc;
    uint32_t compressed_size;
    uint32_t size;
    const uint8_t *compressed;
};

tn_status zip_open(const tn_host *host, const uint8_t *data, uint64_t size,
                   struct zip_archive *out_archive);

/* The next entry; call it `entries_left` times. */
tn_status zip_next(const tn_host *host, struct zip_archive *archive, struct zip_entry *out_entry);

/* Gives the entry's bytes, having checked the sum: where they stand in the archive, or unpacked
 * into `target`, which has room for `entry->size` of them if the entry is deflated. */
tn_status zip_unpack(const tn_host *host, const struct zip_entry *entry, uint8_t *target,
                     const uint8_t **out_bytes);

#endif
