/* A table without a note. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("no_note", &sample_op)};
RAW_TABLE("no_note", entries, 1, sizeof(tn_entry));
