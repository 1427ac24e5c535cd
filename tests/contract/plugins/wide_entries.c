/* By an author whose entries had grown, and who lacks init and fini at the end of the table. */
#include "sample.h"

static const struct {
    tn_entry entry;
    uint64_t more;
} entries[] = {{TN_ENTRY_OP("wide1", &sample_op), UINT64_MAX},
               {TN_ENTRY_OP("wide2", &sample_op), UINT64_MAX}};
RAW_NOTE(note, TN_NOTE_TEXT_("wide_entries", "1.0", "error/1", ""));
TN_EXPORT const tn_plugin tenon_plugin;
const tn_plugin tenon_plugin = {.struct_size = TN_STRUCT_END(tn_plugin, entry_stride),
                                .contract_major = TN_CONTRACT_MAJOR,
                                .contract_minor = TN_CONTRACT_MINOR,
                                .needs_minor = TN_NEEDS_MINOR,
                                .name = "wide_entries",
                                .version = "1.0",
                                .entries = &entries[0].entry,
                                .entry_count = 2,
                                .entry_stride = sizeof entries[0],
                                .init = (tn_status(*)(tn_host *))1,
                                .fini = (void (*)(tn_host *))1};
