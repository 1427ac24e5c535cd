/*
 * What the fuzz targets share: a runtime with every plugin of TENON_PLUGIN_PATH, and the questions
 * that are asked of whatever came out of hostile bytes.
 */
#ifndef TENON_FUZZ_H
#define TENON_FUZZ_H

#include <stdlib.h>

#include <tenon/tenon.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Ends the process when a promise is broken: the fuzzer keeps the input. */
#define FUZZ_EXPECT(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fuzz_broken(__FILE__, __LINE__, #condition);                                           \
        }                                                                                          \
    } while (0)
_Noreturn void fuzz_broken(const char *file, int line, const char *condition);

/* Made once, on first use; it computes on one thread, so that every run is the same. */
tn_runtime *fuzz_runtime(void);

/* Reads the bytes as a file of that name would be read, and touches all that came out. */
void fuzz_read_tensors(const uint8_t *data, size_t size, const char *file_name);

/* Verifies, infers, looks at every node, writes and reads again. */
void fuzz_examine_graph(tn_graph *graph);

/* Runs a small graph whose inputs are all known, on made-up numbers. */
void fuzz_run_graph(tn_graph *graph);

#endif
