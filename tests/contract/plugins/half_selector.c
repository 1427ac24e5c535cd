/* A selector that selects nothing, in the sense that it has no function. */
#include "sample.h"

static tn_status take(tn_strategy_call *call) {
    (void)call;
    return TN_OK;
}

static const tn_selector selector = {.struct_size = TN_SELECTOR_SIZE, .create = take};
static const tn_strategy half = {
    .struct_size = TN_STRATEGY_SIZE, .name = "half", .selector = &selector};
static const tn_strategy *const strategies[] = {&half};
static const tn_partitioner bad = {
    .struct_size = TN_PARTITIONER_SIZE, .strategies = strategies, .strategy_count = 1};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_PARTITIONER("bad", &bad)};
TN_PLUGIN("half_selector", "1.0", entries);
