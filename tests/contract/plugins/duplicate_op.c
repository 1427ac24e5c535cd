/* Offers an operator that the plugin "good" offers, after one of its own. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("own", &sample_op), TN_ENTRY_OP("good", &sample_op)};
TN_PLUGIN("duplicate_op", "1.0", entries);
