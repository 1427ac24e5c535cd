/* Another plugin that calls itself "good". */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("other", &sample_op)};
TN_PLUGIN("good", "2.0", entries);
