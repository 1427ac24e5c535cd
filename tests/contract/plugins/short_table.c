/* The table claims more than the symbol has. */
#include "sample.h"

RAW_NOTE(note, TN_NOTE_TEXT_("short_table", "1.0", "error/1", ""));
static const tn_entry entries[] = {TN_ENTRY_OP("short_table", &sample_op)};
TN_EXPORT const struct short_table tenon_plugin;
const struct short_table {
    tn_plugin table;
} tenon_plugin = {{.struct_size = TN_PLUGIN_SIZE + 8,
                   .contract_major = TN_CONTRACT_MAJOR,
                   .contract_minor = TN_CONTRACT_MINOR,
                   .needs_minor = TN_NEEDS_MINOR,
                   .name = "short_table",
                   .version = "1.0",
                   .entries = entries,
                   .entry_count = 1,
                   .entry_stride = sizeof(tn_entry)}};
