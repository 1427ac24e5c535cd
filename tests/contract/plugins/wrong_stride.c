/* Its entries are closer together than an entry is long. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("wrong_stride", &sample_op)};
RAW_NOTE(note, TN_NOTE_TEXT_("wrong_stride", "1.0", "error/1", ""));
RAW_TABLE("wrong_stride", entries, 1, 16);
