/* Note and table give two names. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("disagree", &sample_op)};
RAW_NOTE(note, TN_NOTE_TEXT_("one_name", "1.0", "error/1", ""));
RAW_TABLE("another_name", entries, 1, sizeof(tn_entry));
