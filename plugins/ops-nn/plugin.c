#include "operators.h"
#include "operators_more.h"

#define OPERATOR_ENTRIES(NAME, OP, KERNEL) TN_ENTRY_OP(NAME, &OP), TN_ENTRY_KERNEL(NAME, &KERNEL),

static const tn_entry entries[] = {
    OPS_NN_SPATIAL(OPERATOR_ENTRIES) TN_ENTRY_KERNEL("dot.sparse", &dot_sparse_kernel),
    TN_ENTRY_KERNEL("Convolution.channels_last", &channels_last_convolution_kernel),
    TN_ENTRY_KERNEL("fused_convolution.channels_last", &channels_last_fused_convolution_kernel),
    TN_ENTRY_KERNEL("onnx.Gemm.integer", &integer_gemm_kernel),
    TN_ENTRY_KERNEL("onnx.MatMul.integer", &integer_matmul_kernel),
    OPS_NN_MORE_ENTRIES};

TN_PLUGIN_WITH("ops-nn", "0.1.0", "error/1,memory/1", "parallel/1,graph/1,sparse/1", NULL, NULL,
               entries);
