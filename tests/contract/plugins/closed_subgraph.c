/* An operator that says it stands for a subgraph, and holds none. */
#include "sample.h"

static const tn_op bad = {.struct_size = TN_OP_SIZE,
                          .flags = TN_OP_SUBGRAPH | TN_OP_VARIADIC,
                          .output_names = sample_outputs,
                          .output_name_count = 1};
static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op), TN_ENTRY_OP("bad", &bad)};
TN_PLUGIN("closed_subgraph", "1.0", entries);
