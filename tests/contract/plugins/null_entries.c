/* Counts an entry and has no array. */
#include "sample.h"

RAW_NOTE(note, TN_NOTE_TEXT_("null_entries", "1.0", "error/1", ""));
RAW_TABLE("null_entries", NULL, 1, sizeof(tn_entry));

const tn_op *null_entries_unused(void);
const tn_op *null_entries_unused(void) {
    return &sample_op;
}
