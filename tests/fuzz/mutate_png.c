/* Mutates a PNG and then puts its checksums right: otherwise hardly anything gets past them. */
#include <string.h>
#include <zlib.h>

#include "fuzz.h"

enum { SIGNATURE_SIZE = 8, LENGTH_SIZE = 4, TYPE_SIZE = 4, CHECKSUM_SIZE = 4 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static void put_checksum(uint8_t *target, uint32_t value) {
    for (int i = 0; i < CHECKSUM_SIZE; i++) {
        target[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed % 16 == 0) {
        return size; /* wrong checksums have their turn too */
    }
    size_t at = SIGNATURE_SIZE;
    while (size >= at && size - at >= LENGTH_SIZE + TYPE_SIZE + CHECKSUM_SIZE) {
        const size_t length = (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 |
                              (size_t)data[at + 2] << 8 | data[at + 3];
        if (length > size - at - LENGTH_SIZE - TYPE_SIZE - CHECKSUM_SIZE) {
            break;
        }
        uint8_t *type = data + at + LENGTH_SIZE;
        put_checksum(type + TYPE_SIZE + length,
                     (uint32_t)crc32(0, type, (uInt)(TYPE_SIZE + length)));
        at += LENGTH_SIZE + TYPE_SIZE + length + CHECKSUM_SIZE;
    }
    return size;
}
