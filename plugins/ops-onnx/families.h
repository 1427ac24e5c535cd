/* All operators of this folder, by family. An operator NAME defines NAME_op and NAME_kernel. */
#ifndef OPS_ONNX_FAMILIES_H
#define OPS_ONNX_FAMILIES_H

#include "control_operators.h"
#include "shape_operators.h"

#define OPERATOR_FAMILIES(X)                                                                       \
    CONTROL_OPERATORS(X)                                                                           \
    SHAPE_OPERATORS(X)

#define DECLARE_OPERATOR(OP, NAME)                                                                 \
    extern const tn_op OP##_op;                                                                    \
    extern const tn_kernel OP##_kernel;
OPERATOR_FAMILIES(DECLARE_OPERATOR)
#undef DECLARE_OPERATOR

#endif
