/* Where the fields of zip's records are. All numbers are little-endian and unaligned. */
#ifndef FORMAT_NPY_ZIP_LAYOUT_H
#define FORMAT_NPY_ZIP_LAYOUT_H

#include <stdint.h>
#include <string.h>

#define ZIP_LOCAL_MARK 0x04034b50u
#define ZIP_CENTRAL_MARK 0x02014b50u
#define ZIP_END_MARK 0x06054b50u
#define ZIP_END64_LOCATOR_MARK 0x07064b50u

enum {
    ZIP_LOCAL_SIZE = 30,
    ZIP_LOCAL_NAME_LENGTH = 26,
    ZIP_LOCAL_EXTRA_LENGTH = 28,

    ZIP_CENTRAL_SIZE = 46,
    ZIP_CENTRAL_FLAGS = 8,
    ZIP_CENTRAL_METHOD = 10,
    ZIP_CENTRAL_CRC = 16,
    ZIP_CENTRAL_COMPRESSED_SIZE = 20,
    ZIP_CENTRAL_UNPACKED_SIZE = 24,
    ZIP_CENTRAL_NAME_LENGTH = 28,
    ZIP_CENTRAL_EXTRA_LENGTH = 30,
    ZIP_CENTRAL_COMMENT_LENGTH = 32,
    ZIP_CENTRAL_LOCAL_OFFSET = 42,

    ZIP_END_SIZE = 22,
    ZIP_END_DISK = 4,
    ZIP_END_DIRECTORY_DISK = 6,
    ZIP_END_ENTRIES_ON_DISK = 8,
    ZIP_END_ENTRIES = 10,
    ZIP_END_DIRECTORY_SIZE = 12,
    ZIP_END_DIRECTORY_OFFSET = 16,
    ZIP_END_COMMENT_LENGTH = 20,
    ZIP_END_LONGEST_COMMENT = 65535,

    ZIP_END64_LOCATOR_SIZE = 20,

    ZIP_FLAG_ENCRYPTED = 1,
    ZIP_FLAG_UTF8 = 1 << 11,
};

static inline uint32_t zip_u16(const uint8_t *field) {
    uint16_t value;
    memcpy(&value, field, sizeof value);
    return value;
}

static inline uint32_t zip_u32(const uint8_t *field) {
    uint32_t value;
    memcpy(&value, field, sizeof value);
    return value;
}

#endif
