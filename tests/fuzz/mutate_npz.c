/* Mutates a zip file and then puts the checksums of its stored entries right. */
#include <string.h>
#include <zlib.h>

#include "fuzz.h"

enum {
    CENTRAL_SIZE = 46,
    LOCAL_SIZE = 30,
    METHOD = 10,
    CHECKSUM = 16,
    PACKED_SIZE = 20,
    LOCAL_OFFSET = 42,
    LOCAL_NAME_LENGTH = 26
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static uint32_t number(const uint8_t *at, size_t bytes) {
    uint32_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

/* `central` is where an entry of the directory may begin. */
static void repair_entry(const uint8_t *data, size_t size, uint8_t *central) {
    const size_t local = number(central + LOCAL_OFFSET, 4);
    const size_t packed = number(central + PACKED_SIZE, 4);
    if (number(central + METHOD, 2) != 0 || local > size || size - local < LOCAL_SIZE) {
        return;
    }
    const size_t start = local + LOCAL_SIZE + number(data + local + LOCAL_NAME_LENGTH, 2) +
                         number(data + local + LOCAL_NAME_LENGTH + 2, 2);
    if (start <= size && packed <= size - start) {
        const uint32_t checksum = (uint32_t)crc32(0, data + start, (uInt)packed);
        memcpy(central + CHECKSUM, &checksum, sizeof checksum);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, max_size);
    for (size_t at = 0; seed % 16 != 0 && at + CENTRAL_SIZE <= size; at++) {
        if (memcmp(data + at, "PK\1\2", 4) == 0) {
            repair_entry(data, size, data + at);
        }
    }
    return size;
}
