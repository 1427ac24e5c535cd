/* Fuzz target: the dynamic symbols of a file. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "plugin/elf_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int file = -1;
    tni_symbols symbols = {0};
    if (file < 0) {
        file = memfd_create("symbols", MFD_CLOEXEC);
    }
    FUZZ_EXPECT(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    if (tni_symbols_read(file, size, &symbols) == TN_OK) {
        for (uint32_t i = 1; i < symbols.count; i++) {
            FUZZ_EXPECT(strcmp(symbols.names[i - 1], symbols.names[i]) <= 0);
        }
        tni_symbols_finish(&symbols);
    }
    return 0;
}
