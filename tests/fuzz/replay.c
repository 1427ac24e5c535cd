/*
 * Runs a fuzz target over files: those that once made it fail, and its seeds. Stands in for the
 * fuzzer in an ordinary build.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* The fuzzer's, for targets with a mutator of their own; nothing is mutated here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
    (void)data, (void)max_size;
    return size;
}

/* The file's bytes in a block of exactly its size, so that a sanitizer sees the end. */
static uint8_t *read_file(const char *path, size_t *out_size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    const long size = ftell(file);
    rewind(file);
    uint8_t *data = size < 0 ? NULL : malloc(size > 0 ? (size_t)size : 1);
    if (data != NULL && fread(data, 1, (size_t)size, file) != (size_t)size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    *out_size = (size_t)size;
    return data;
}

int main(int argc, char **argv) {
    if (LLVMFuzzerInitialize != NULL) {
        LLVMFuzzerInitialize(&argc, &argv);
    }
    LLVMFuzzerTestOneInput(NULL, 0);
    for (int i = 1; i < argc; i++) {
        size_t size = 0;
        uint8_t *data = read_file(argv[i], &size);
        if (data == NULL) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return EXIT_FAILURE;
        }
        /* Said before, so that the last line names the file that ends the process. */
        fprintf(stderr, "%s\n", argv[i]);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    return EXIT_SUCCESS;
}
