/* Takes the place of the operator of "good". */
#include "sample.h"

static const tn_entry entries[] = {
    {TN_KIND_OP, "good", TN_OP_VERSION, TN_ENTRY_OVERRIDES, &sample_op}};
TN_PLUGIN("override", "1.0", entries);
