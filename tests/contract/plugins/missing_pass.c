/* A pass that does nothing, in the sense that it has no function. */
#include "sample.h"

static const tn_pass pass = {.struct_size = TN_PASS_SIZE, .doc = "Nothing."};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op), TN_ENTRY_PASS("idle", &pass)};
TN_PLUGIN("missing_pass", "1.0", entries);
