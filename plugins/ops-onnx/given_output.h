/* Outputs whose extents only the run finds out. */
#ifndef OPS_ONNX_GIVEN_OUTPUT_H
#define OPS_ONNX_GIVEN_OUTPUT_H

#include <tenon/plugin.h>

/* The output that a run planned, if its shape is `shape`; or, where none could be planned, a new
 * tensor, which the host has then. The view lasts as long as the run. */
tn_status open_output(const tn_run_call *call, uint32_t output, tn_dtype dtype,
                      const tn_shape *shape, const tn_view **out_view);

#endif
