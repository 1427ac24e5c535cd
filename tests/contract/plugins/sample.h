/*
 * A small operator with its kernel, which most plugins of this folder offer, and the means to write
 * note and table by hand where the macro of the contract would write them right.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <tenon/plugin.h>

static inline tn_status sample_run(const tn_run_call *call) {
    (void)call;
    return TN_OK;
}

static const char *const sample_inputs[] = {"data"};
static const char *const sample_outputs[] = {"output"};

#define SAMPLE_OP                                                                                  \
    {                                                                                              \
        .struct_size = TN_OP_SIZE, .doc = "Does nothing.", .input_names = sample_inputs,           \
        .output_names = sample_outputs, .input_name_count = 1, .output_name_count = 1,             \
        .infer = tn_infer_elementwise                                                              \
    }

#define SAMPLE_KERNEL(OP)                                                                          \
    { .struct_size = TN_KERNEL_SIZE, .op = OP, .target = "cpu", .run = sample_run }

static const tn_op sample_op = SAMPLE_OP;

/* A note with any content, which ends with the NUL of the literal. */
#define RAW_NOTE(VARIABLE, CONTENT)                                                                \
    static const struct {                                                                          \
        uint32_t owner_size, content_size, type;                                                   \
        char owner[8];                                                                             \
        char content[(sizeof(CONTENT) + 3) / 4 * 4];                                               \
    } VARIABLE __attribute__((section(TN_NOTE_SECTION), used, aligned(4))) = {                     \
        sizeof(TN_NOTE_OWNER), sizeof(CONTENT), TN_NOTE_TYPE, TN_NOTE_OWNER, CONTENT}

/* A table that agrees with TN_NOTE_TEXT_(NAME, "1.0", …). */
#define RAW_TABLE(NAME, ENTRIES, COUNT, STRIDE)                                                    \
    TN_EXPORT const tn_plugin tenon_plugin;                                                        \
    const tn_plugin tenon_plugin = {.struct_size = TN_PLUGIN_SIZE,                                 \
                                    .contract_major = TN_CONTRACT_MAJOR,                           \
                                    .contract_minor = TN_CONTRACT_MINOR,                           \
                                    .needs_minor = TN_NEEDS_MINOR,                                 \
                                    .name = NAME,                                                  \
                                    .version = "1.0",                                              \
                                    .entries = ENTRIES,                                            \
                                    .entry_count = COUNT,                                          \
                                    .entry_stride = STRIDE}

#endif
