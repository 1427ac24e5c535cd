/* The symbol of the table is a function. */
#include "sample.h"

RAW_NOTE(note, TN_NOTE_TEXT_("function_symbol", "1.0", "error/1", ""));
TN_EXPORT const tn_op *tenon_plugin(void);
const tn_op *tenon_plugin(void) {
    return &sample_op;
}
