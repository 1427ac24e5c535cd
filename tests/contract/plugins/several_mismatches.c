/* Does not fit in three ways at once. */
#include "sample.h"

#undef TN_CONTRACT_MAJOR
#define TN_CONTRACT_MAJOR 7
#undef TN_SANITIZER
#define TN_SANITIZER "memory"

static const tn_entry entries[] = {TN_ENTRY_OP("several_mismatches", &sample_op)};
TN_PLUGIN_WITH("several_mismatches", "1.0", "warp/1", "", NULL, NULL, entries);
