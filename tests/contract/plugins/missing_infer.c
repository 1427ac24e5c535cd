/* An operator that cannot infer. */
#include "sample.h"

static const tn_op op = {.struct_size = TN_OP_SIZE};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op), TN_ENTRY_OP("missing", &op)};
TN_PLUGIN("missing_infer", "1.0", entries);
