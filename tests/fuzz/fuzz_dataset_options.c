/* Fuzz target: descriptions of data sets, "idx:images=a.gz,labels=b.gz". */
#include <string.h>

#include "fuzz.h"
#include "tensor/dataset_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tni_arena arena = {0};
    tni_description description;
    char *text = calloc(size + 1, 1);
    FUZZ_EXPECT(text != NULL);
    if (size > 0) {
        memcpy(text, data, size);
    }
    if (tni_description_parse(text, &arena, &description) == TN_OK) {
        FUZZ_EXPECT(description.kind != NULL && strlen(description.kind) <= size);
        for (uint32_t i = 0; i < description.option_count; i++) {
            FUZZ_EXPECT(strlen(description.options[i].name) <= size);
            FUZZ_EXPECT(strlen(description.options[i].value) <= size);
        }
    } else {
        FUZZ_EXPECT(tn_error_message()[0] != '\0');
    }
    tni_arena_finish(&arena);
    free(text);
    return 0;
}
