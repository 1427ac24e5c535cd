/* Built with another minor while the major is 0. */
#include "sample.h"

#undef TN_CONTRACT_MINOR
#define TN_CONTRACT_MINOR 99
#undef TN_NEEDS_MINOR
#define TN_NEEDS_MINOR 0

static const tn_entry entries[] = {TN_ENTRY_OP("wrong_minor", &sample_op)};
TN_PLUGIN("wrong_minor", "1.0", entries);
