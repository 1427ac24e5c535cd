/* Fuzz target: what a plugin offers, read from its file. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "plugin/elf_offers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int file = -1;
    tni_arena arena = {0};
    tni_offer *offers;
    uint32_t count;
    if (file < 0) {
        file = memfd_create("plugin", MFD_CLOEXEC);
    }
    FUZZ_EXPECT(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    if (tni_offers_read(file, size, &arena, &offers, &count) == TN_OK) {
        for (uint32_t i = 0; i < count; i++) {
            FUZZ_EXPECT(memchr(offers[i].entry.kind, '\0', 1024) != NULL);
            FUZZ_EXPECT(memchr(offers[i].entry.name, '\0', 1024) != NULL);
            FUZZ_EXPECT(offers[i].entry.impl == NULL);
        }
    }
    tni_arena_finish(&arena);
    return 0;
}
