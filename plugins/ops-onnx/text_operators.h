/* Texts: X(operator, name). */
#ifndef OPS_ONNX_TEXT_OPERATORS_H
#define OPS_ONNX_TEXT_OPERATORS_H

#include <tenon/plugin.h>

#define TEXT_OPERATORS(X)                                                                          \
    X(regex_full_match, "onnx.RegexFullMatch")                                                     \
    X(string_concat, "onnx.StringConcat")                                                          \
    X(string_normalizer, "onnx.StringNormalizer")                                                  \
    X(string_split, "onnx.StringSplit")                                                            \
    X(tf_idf_vectorizer, "onnx.TfIdfVectorizer")

#endif
