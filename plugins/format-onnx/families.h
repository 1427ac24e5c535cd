/* All tables of mappings: X(family) declares `family_mappings`, which ends with a row without op.
 */
#ifndef FORMAT_ONNX_FAMILIES_H
#define FORMAT_ONNX_FAMILIES_H

#include "translate.h"

#define MAPPING_FAMILIES(X)                                                                        \
    X(control)                                                                                     \
    X(elementwise)                                                                                 \
    X(index)                                                                                       \
    X(matrix)                                                                                      \
    X(normalisation)                                                                               \
    X(old_elementwise)                                                                             \
    X(quantised)                                                                                   \
    X(random)                                                                                      \
    X(recurrent)                                                                                   \
    X(reduction)                                                                                   \
    X(sampling)                                                                                    \
    X(sequence)                                                                                    \
    X(shape)                                                                                       \
    X(text)                                                                                        \
    X(window)

#define DECLARE_FAMILY(FAMILY) extern const struct onnx_mapping FAMILY##_mappings[];
MAPPING_FAMILIES(DECLARE_FAMILY)
#undef DECLARE_FAMILY

/* The row for an operator of the official domain at a version; NULL when there is none.
 * `out_first` gets the lowest version that has a row, 0 when the operator is not known at all. */
const struct onnx_mapping *onnx_find_mapping(const char *op, int64_t version, int64_t *out_first);

#endif
