/* The plugin "passes": the host's own optimisations. They change graphs; none computes anything. */
#include "passes.h"

static const tn_entry entries[] = {
    TN_ENTRY_PASS("remove-dead-nodes", &remove_dead_nodes),
    TN_ENTRY_PASS("merge-equal-nodes", &merge_equal_nodes),
    TN_ENTRY_PASS("remove-identity", &remove_identity),
    TN_ENTRY_PASS("fold-constants", &fold_constants),
    TN_ENTRY_PASS("simplify-transpose", &simplify_transpose),
    TN_ENTRY_PASS("simplify-reshape", &simplify_reshape),
    TN_ENTRY_PASS("fold-batch-norm", &fold_batch_norm),
    TN_ENTRY_PASS("fuse-convolution", &fuse_convolution),
    TN_ENTRY_PASS("fuse-quantize", &fuse_quantize),
    TN_ENTRY_PASS("fuse-elementwise", &fuse_elementwise),
    TN_ENTRY_PASS("convert-dtype", &convert_dtype),
    TN_ENTRY_PASS("choose-layout", &choose_layout),
};

TN_PLUGIN_WITH("passes", "0.1.0", "error/1,graph/1,memory/1,tensor/1", "", NULL, NULL, entries);
