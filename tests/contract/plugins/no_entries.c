/* Offers nothing. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("unused", &sample_op)};
RAW_NOTE(note, TN_NOTE_TEXT_("no_entries", "1.0", "error/1", ""));
RAW_TABLE("no_entries", entries, 0, sizeof(tn_entry));
