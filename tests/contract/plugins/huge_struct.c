/* An operator that claims to be four gigabytes large. */
#include "sample.h"

static const tn_op op = {.struct_size = UINT32_MAX, .infer = tn_infer_elementwise};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op), TN_ENTRY_OP("huge", &op)};
TN_PLUGIN("huge_struct", "1.0", entries);
