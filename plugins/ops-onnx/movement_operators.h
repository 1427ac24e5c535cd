/* Elements at other places, repeated, or made by a rule: X(operator, name). */
#ifndef OPS_ONNX_MOVEMENT_OPERATORS_H
#define OPS_ONNX_MOVEMENT_OPERATORS_H

#include <tenon/plugin.h>

#define MOVEMENT_OPERATORS(X)                                                                      \
    X(flatten, "onnx.Flatten")                                                                     \
    X(squeeze, "onnx.Squeeze")                                                                     \
    X(unsqueeze, "onnx.Unsqueeze")                                                                 \
    X(slice, "onnx.Slice")                                                                         \
    X(split, "onnx.Split")                                                                         \
    X(pad, "onnx.Pad")                                                                             \
    X(expand, "onnx.Expand")                                                                       \
    X(tile, "onnx.Tile")                                                                           \
    X(constant_of_shape, "onnx.ConstantOfShape")                                                   \
    X(where, "onnx.Where")                                                                         \
    X(range, "onnx.Range")                                                                         \
    X(eye_like, "onnx.EyeLike")                                                                    \
    X(one_hot, "onnx.OneHot")                                                                      \
    X(depth_to_space, "onnx.DepthToSpace")                                                         \
    X(space_to_depth, "onnx.SpaceToDepth")                                                         \
    X(trilu, "onnx.Trilu")                                                                         \
    X(reverse_sequence, "onnx.ReverseSequence")                                                    \
    X(center_crop_pad, "onnx.CenterCropPad")

#endif
