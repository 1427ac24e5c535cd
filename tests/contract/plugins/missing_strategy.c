/* A partitioner without a strategy. */
#include "sample.h"

static const tn_partitioner bad = {.struct_size = TN_PARTITIONER_SIZE};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_PARTITIONER("bad", &bad)};
TN_PLUGIN("missing_strategy", "1.0", entries);
