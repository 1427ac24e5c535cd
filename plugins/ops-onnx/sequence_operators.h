/* Sequences of tensors, and values that may be absent: X(operator, name). */
#ifndef OPS_ONNX_SEQUENCE_OPERATORS_H
#define OPS_ONNX_SEQUENCE_OPERATORS_H

#include <tenon/plugin.h>

#define SEQUENCE_OPERATORS(X)                                                                      \
    X(concat_from_sequence, "onnx.ConcatFromSequence")                                             \
    X(optional_empty, "onnx.OptionalEmpty")                                                        \
    X(optional_get_element, "onnx.OptionalGetElement")                                             \
    X(optional_has_element, "onnx.OptionalHasElement")                                             \
    X(sequence_at, "onnx.SequenceAt")                                                              \
    X(sequence_construct, "onnx.SequenceConstruct")                                                \
    X(sequence_erase, "onnx.SequenceErase")                                                        \
    X(sequence_insert, "onnx.SequenceInsert")                                                      \
    X(sequence_length, "onnx.SequenceLength")                                                      \
    X(sequence_map, "onnx.SequenceMap")                                                            \
    X(split_to_sequence, "onnx.SplitToSequence")

#endif
