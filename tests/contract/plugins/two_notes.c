/* A note too many. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("two_notes", &sample_op)};
RAW_NOTE(first, TN_NOTE_TEXT_("two_notes", "1.0", "error/1", ""));
RAW_NOTE(second, TN_NOTE_TEXT_("two_notes", "1.0", "error/1", ""));
RAW_TABLE("two_notes", entries, 1, sizeof(tn_entry));
