/* An entry of version 0. */
#include "sample.h"

static const tn_entry entries[] = {{TN_KIND_OP, "zero", 0, 0, &sample_op}};
TN_PLUGIN("zero_version", "1.0", entries);
