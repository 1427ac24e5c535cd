/* All operators of this folder, by family. An operator NAME defines NAME_op and NAME_kernel. */
#ifndef OPS_ONNX_FAMILIES_H
#define OPS_ONNX_FAMILIES_H

#include "attention_operators.h"
#include "control_operators.h"
#include "index_operators.h"
#include "movement_operators.h"
#include "normalisation_operators.h"
#include "quantised_operators.h"
#include "random_operators.h"
#include "recurrent_operators.h"
#include "sampling_operators.h"
#include "sequence_operators.h"
#include "shape_operators.h"
#include "signal_operators.h"
#include "text_operators.h"
#include "window_operators.h"

#define OPERATOR_FAMILIES(X)                                                                       \
    ATTENTION_OPERATORS(X)                                                                         \
    CONTROL_OPERATORS(X)                                                                           \
    INDEX_OPERATORS(X)                                                                             \
    MOVEMENT_OPERATORS(X)                                                                          \
    NORMALISATION_OPERATORS(X)                                                                     \
    QUANTISED_OPERATORS(X)                                                                         \
    RANDOM_OPERATORS(X)                                                                            \
    RECURRENT_OPERATORS(X)                                                                         \
    SAMPLING_OPERATORS(X)                                                                          \
    SEQUENCE_OPERATORS(X)                                                                          \
    SHAPE_OPERATORS(X)                                                                             \
    SIGNAL_OPERATORS(X)                                                                            \
    TEXT_OPERATORS(X)                                                                              \
    WINDOW_OPERATORS(X)

#define DECLARE_OPERATOR(OP, NAME)                                                                 \
    extern const tn_op OP##_op;                                                                    \
    extern const tn_kernel OP##_kernel;
OPERATOR_FAMILIES(DECLARE_OPERATOR)
#undef DECLARE_OPERATOR

#endif
