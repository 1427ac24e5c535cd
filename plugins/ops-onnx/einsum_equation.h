/*
 * The equation of an Einsum: "bij,bjk->bik". A letter is an axis of each operand that it stands in;
 * "..." are the axes that have no letter, aligned at the last.
 */
#ifndef OPS_ONNX_EINSUM_EQUATION_H
#define OPS_ONNX_EINSUM_EQUATION_H

#include "shapes.h"

#define EINSUM_MAX_OPERANDS WALK_OPERANDS
/* A label is a letter (0 to 51) or, counted from the last, an axis of the ellipsis. */
#define EINSUM_ELLIPSIS 52
#define EINSUM_LABELS (EINSUM_ELLIPSIS + TN_MAX_RANK)

typedef struct einsum_labels {
    int32_t count;
    int32_t labels[TN_MAX_RANK];
} einsum_labels;

typedef struct einsum_equation {
    int32_t operand_count;
    einsum_labels operands[EINSUM_MAX_OPERANDS];
    einsum_labels output;
    int64_t extents[EINSUM_LABELS];
} einsum_equation;

/* Reads the equation for operands of these shapes, of which all ranks are known. */
tn_status einsum_parse(const tn_host *host, const char *text, const tn_shape *const *shapes,
                       uint32_t count, einsum_equation *out_equation);

#endif
