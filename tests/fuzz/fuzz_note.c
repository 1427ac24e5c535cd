/*
 * Fuzz target: the identity in a file's ELF note, and the comparison with what this library speaks.
 * The first byte of the input says how much of the file is at hand: all of it, or a part.
 */
#include <stdlib.h>
#include <string.h>

#include "plugin/contract_check.h"
#include "plugin/elf_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_terminated(const tn_identity *identity) {
    const struct {
        const char *text;
        size_t size;
    } texts[] = {{identity->name, sizeof identity->name},
                 {identity->version, sizeof identity->version},
                 {identity->requires_services, sizeof identity->requires_services},
                 {identity->optional_services, sizeof identity->optional_services},
                 {identity->sanitizer, sizeof identity->sanitizer},
                 {identity->toolchain, sizeof identity->toolchain},
                 {identity->reason, sizeof identity->reason},
                 {identity->remedy, sizeof identity->remedy}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (memchr(texts[i].text, '\0', texts[i].size) == NULL) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const uint8_t *file = data + 1;
    const uint64_t file_size = size - 1;
    const size_t at_hand = data[0] == 0 ? size - 1 : (size - 1) * data[0] / 255;
    if (tni_note_extent(file, at_hand, file_size) > file_size) {
        abort();
    }
    tn_identity identity = {.struct_size = TN_IDENTITY_SIZE};
    if (tni_note_read(file, at_hand, file_size, &identity) == TN_OK) {
        check_terminated(&identity);
        const tni_contract host = tni_contract_of_host(NULL);
        tni_contract_check(&identity, &host);
        check_terminated(&identity);
    }
    return 0;
}
