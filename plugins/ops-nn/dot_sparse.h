/* dot with a CSR matrix on the left. */
#ifndef OPS_NN_DOT_SPARSE_H
#define OPS_NN_DOT_SPARSE_H

#include <tenon/plugin.h>

/* lhs is CSR and not transposed (the result is dense), or transposed (row-sparse, or dense when
 * that is asked for); rhs is dense or row-sparse and not transposed. */
int32_t dot_sparse_supports(const tn_kernel_query *query, int transpose_a, int transpose_b);
tn_status dot_sparse_prepare(tn_prepare_call *call, int transpose_a);
tn_status dot_sparse_run(const tn_run_call *call, int transpose_a);

#endif
