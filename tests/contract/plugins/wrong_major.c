/* Made for another major of the contract. */
#include "sample.h"

#undef TN_CONTRACT_MAJOR
#define TN_CONTRACT_MAJOR 7

static const tn_entry entries[] = {TN_ENTRY_OP("wrong_major", &sample_op)};
TN_PLUGIN("wrong_major", "1.0", entries);
