/* The memory of the states of products of 8-bit integers, with what is packed behind them. */
#ifndef OPS_ONNX_INTEGER_STATE_H
#define OPS_ONNX_INTEGER_STATE_H

#include <tenon/plugin.h>

/* `size` bytes and room for `packed` elements. */
tn_status integer_state_allocate(const tn_host *host, size_t size, int64_t packed,
                                 void **out_state);

/* The kernels' release. */
void integer_state_release(const tn_host *host, void *state);

#endif
