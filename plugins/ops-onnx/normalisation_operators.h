/* Normalisation: X(operator, name). */
#ifndef OPS_ONNX_NORMALISATION_OPERATORS_H
#define OPS_ONNX_NORMALISATION_OPERATORS_H

#include <tenon/plugin.h>

#define NORMALISATION_OPERATORS(X)                                                                 \
    X(batch_normalization, "onnx.BatchNormalization")                                              \
    X(dropout, "onnx.Dropout")                                                                     \
    X(group_normalization, "onnx.GroupNormalization")                                              \
    X(instance_normalization, "onnx.InstanceNormalization")                                        \
    X(layer_normalization, "onnx.LayerNormalization")                                              \
    X(likelihood_loss, "onnx.NegativeLogLikelihoodLoss")                                           \
    X(lp_normalization, "onnx.LpNormalization")                                                    \
    X(rms_normalization, "onnx.RMSNormalization")

#endif
