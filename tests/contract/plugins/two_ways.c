/* A strategy that chooses nodes in two ways. */
#include "sample.h"

static tn_status take(tn_strategy_call *call) {
    (void)call;
    return TN_OK;
}

static const tn_selector selector = {.struct_size = TN_SELECTOR_SIZE};
static const tn_strategy both = {
    .struct_size = TN_STRATEGY_SIZE, .name = "both", .find_supported = take, .selector = &selector};
static const tn_strategy *const strategies[] = {&both};
static const tn_partitioner bad = {
    .struct_size = TN_PARTITIONER_SIZE, .strategies = strategies, .strategy_count = 1};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_PARTITIONER("bad", &bad)};
TN_PLUGIN("two_ways", "1.0", entries);
