/* onnx.MatMulInteger and onnx.QLinearMatMul. */
#ifndef ONEDNN_INTEGER_MATMUL_H
#define ONEDNN_INTEGER_MATMUL_H

#include <tenon/plugin.h>

int32_t integer_matmul_supports(const tn_kernel_query *query);
tn_status integer_matmul_prepare(tn_prepare_call *call);
tn_status integer_matmul_run(const tn_run_call *call);
void integer_matmul_release(const tn_host *host, void *state);

#endif
