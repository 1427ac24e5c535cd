/* Requires a service that no host has, and one in a version that no host has. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("missing_service", &sample_op)};
TN_PLUGIN_WITH("missing_service", "1.0", "error/1,warp/1,log/9", "", NULL, NULL, entries);
