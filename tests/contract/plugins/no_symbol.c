/* A note without a table. */
#include "sample.h"

RAW_NOTE(note, TN_NOTE_TEXT_("no_symbol", "1.0", "error/1", ""));
TN_EXPORT const tn_op *not_the_table(void);
const tn_op *not_the_table(void) {
    return &sample_op;
}
