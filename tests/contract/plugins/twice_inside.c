/* Offers one operator twice. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("again", &sample_op),
                                   TN_ENTRY_OP("again", &sample_op)};
TN_PLUGIN("twice_inside", "1.0", entries);
