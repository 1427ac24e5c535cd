/* The table has no version. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("null_version", &sample_op)};
RAW_NOTE(note, TN_NOTE_TEXT_("null_version", "1.0", "error/1", ""));
TN_EXPORT const tn_plugin tenon_plugin;
const tn_plugin tenon_plugin = {.struct_size = TN_PLUGIN_SIZE,
                                .contract_major = TN_CONTRACT_MAJOR,
                                .contract_minor = TN_CONTRACT_MINOR,
                                .needs_minor = TN_NEEDS_MINOR,
                                .name = "null_version",
                                .entries = entries,
                                .entry_count = 1,
                                .entry_stride = sizeof(tn_entry)};
