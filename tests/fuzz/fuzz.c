#include "fuzz.h"

#include <stdio.h>
#include <string.h>

void fuzz_broken(const char *file, int line, const char *condition) {
    fprintf(stderr, "%s:%d: expected %s; the last error text: %s\n", file, line, condition,
            tn_error_message());
    abort();
}

tn_runtime *fuzz_runtime(void) {
    static tn_runtime *runtime;
    if (runtime == NULL) {
        tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE, .thread_count = 1};
        FUZZ_EXPECT(tn_runtime_create(&options, &runtime) == TN_OK);
        FUZZ_EXPECT(tn_plugin_load_all(runtime, NULL, 0, 0) == TN_OK);
        FUZZ_EXPECT(tn_plugin_count(runtime) > 0);
    }
    return runtime;
}

/* Before the first input, so that the plugins' code is known when the fuzzer begins to count. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    fuzz_runtime();
    return 0;
}

/* Sums the bytes, so that each is read. */
static void touch_tensor(const tn_tensor *tensor) {
    const tn_view *view = tn_tensor_view(tensor);
    const uint8_t *bytes = tn_tensor_data(tensor);
    const uint64_t size = tn_tensor_byte_size(tensor);
    static volatile uint64_t sum;
    FUZZ_EXPECT(view->rank >= 0 && view->rank <= TN_MAX_RANK);
    FUZZ_EXPECT(strcmp(tn_dtype_text(view->dtype), "unknown") != 0);
    for (uint64_t i = 0; i < size; i++) {
        sum = sum + bytes[i];
    }
}

void fuzz_read_tensors(const uint8_t *data, size_t size, const char *file_name) {
    tn_tensor_list *list = NULL;
    const tn_status status =
        tn_tensor_list_read_memory(fuzz_runtime(), data, size, file_name, &list);
    if (status != TN_OK) {
        FUZZ_EXPECT(list == NULL);
        FUZZ_EXPECT(tn_error_message()[0] != '\0');
        return;
    }
    for (uint32_t i = 0; i < tn_tensor_list_count(list); i++) {
        const char *name = tn_tensor_list_name(list, i);
        FUZZ_EXPECT(name == NULL || strlen(name) <= size * 1100 + 1100);
        touch_tensor(tn_tensor_list_get(list, i));
    }
    tn_tensor_list_destroy(list);
}
