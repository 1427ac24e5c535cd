/* Fuzz target: a file of tensors. FUZZ_FILE_NAME is what it is called, which says its format. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_read_tensors(data, size, FUZZ_FILE_NAME);
    return 0;
}
