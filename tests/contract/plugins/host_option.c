/* A partitioner with an option that is the host's. */
#include "sample.h"

static tn_status take(tn_strategy_call *call) {
    (void)call;
    return TN_OK;
}

typedef struct own_options {
    int64_t min_nodes;
} own_options;
static const tn_attribute options[] = {
    TN_FIELD(own_options, min_nodes, INT, "2", NULL, "As few as I like."),
};
static const tn_strategy strategy = {
    .struct_size = TN_STRATEGY_SIZE, .name = "own", .find_supported = take};
static const tn_strategy *const strategies[] = {&strategy};
static const tn_partitioner bad = {.struct_size = TN_PARTITIONER_SIZE,
                                   .options = options,
                                   .option_count = 1,
                                   .option_stride = TN_ATTRIBUTE_STRIDE,
                                   .options_size = sizeof(own_options),
                                   .strategies = strategies,
                                   .strategy_count = 1};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_PARTITIONER("bad", &bad)};
TN_PLUGIN("host_option", "1.0", entries);
