/* Sampling: X(operator, name). */
#ifndef OPS_ONNX_SAMPLING_OPERATORS_H
#define OPS_ONNX_SAMPLING_OPERATORS_H

#include <tenon/plugin.h>

#define SAMPLING_OPERATORS(X)                                                                      \
    X(affine_grid, "onnx.AffineGrid")                                                              \
    X(grid_sample, "onnx.GridSample")                                                              \
    X(resize, "onnx.Resize")                                                                       \
    X(roi_align, "onnx.RoiAlign")

#endif
