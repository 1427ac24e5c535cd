/* A strategy that has no way to choose nodes. */
#include "sample.h"

static const tn_strategy idle = {.struct_size = TN_STRATEGY_SIZE, .name = "idle"};
static const tn_strategy *const strategies[] = {&idle};
static const tn_partitioner bad = {
    .struct_size = TN_PARTITIONER_SIZE, .strategies = strategies, .strategy_count = 1};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_PARTITIONER("bad", &bad)};
TN_PLUGIN("idle_strategy", "1.0", entries);
