/* An entry that points to nothing. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op), TN_ENTRY_OP("null", NULL)};
TN_PLUGIN("null_impl", "1.0", entries);
