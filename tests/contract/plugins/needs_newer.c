/* Needs a minor that does not exist yet. */
#define TN_NEEDS_MINOR 99
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("needs_newer", &sample_op)};
TN_PLUGIN("needs_newer", "1.0", entries);
