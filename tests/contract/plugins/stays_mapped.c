/* Linked so that the dynamic linker never lets go of it. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("stays_mapped", &sample_op)};
TN_PLUGIN("stays_mapped", "1.0", entries);
