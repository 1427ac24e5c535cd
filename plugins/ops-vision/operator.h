/*
 * What the operators of this folder share in their descriptions.
 */
#ifndef OPS_VISION_OPERATOR_H
#define OPS_VISION_OPERATOR_H

#include <tenon/plugin.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* Fields of a tn_op: its attribute table, and the struct that the host fills in by it. */
#define OP_ATTRIBUTES(TABLE, STRUCT)                                                               \
    .attributes = (TABLE), .attribute_count = COUNT_OF(TABLE),                                     \
    .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(STRUCT)

/* Fields of a tn_op: the names of its inputs and its one output. */
#define OP_NAMES(INPUTS)                                                                           \
    .input_names = (INPUTS), .input_name_count = COUNT_OF(INPUTS), .output_names = output_name,    \
    .output_name_count = 1

extern const char *const output_name[1]; /* "output" */

/* Adds nothing to `known` but its rank, and fails when it has another one. */
tn_status infer_rank(const tn_host *host, const char *what, tn_shape *known, int32_t rank);

/* Merges one extent of a shape of known rank with a fact. */
tn_status infer_extent(const tn_host *host, const char *what, tn_shape *known, int32_t axis,
                       int64_t fact);

/* TN_UNKNOWN when a factor is; fails when the product is too large. */
tn_status multiply_extents(const tn_host *host, int64_t left, int64_t right, int64_t *out_product);

#endif
