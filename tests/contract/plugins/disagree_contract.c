/* Note and table give two needs. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("disagree", &sample_op)};
RAW_NOTE(note, TN_NOTE_TEXT_("disagree_contract", "1.0", "error/1", ""));
#undef TN_NEEDS_MINOR
#define TN_NEEDS_MINOR 42
RAW_TABLE("disagree_contract", entries, 1, sizeof(tn_entry));
