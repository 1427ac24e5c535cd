/*
 * Walking over an output row by row, along with operands that are stretched to its shape.
 *
 * A row is the innermost axis, or as many axes as lie one after the other in every operand's
 * memory: tensors of one shape and layout are a single row.
 */
#ifndef OPS_MATH_ROWS_H
#define OPS_MATH_ROWS_H

#include "axes.h"

typedef struct row_walk {
    axis_list outer;
    int64_t row_length;
    int64_t steps[WALK_OPERANDS]; /* along a row: 1, or 0 where the operand is stretched */
} row_walk;

/* Shapes are aligned at their last axis; each extent is the output's or 1. At most WALK_OPERANDS
 * operands. The walk is in the order in which the output lies in memory, whatever its layout. */
row_walk plan_rows(const tn_view *const *operands, int operand_count, const tn_view *output);

/* For tn_kernel.layouts, of kernels that walk: channels-last when an input of the output's shape is
 * and rows of all inputs have such steps. */
void layouts_of_rows(const tn_kernel_query *query, uint32_t *inputs, uint32_t *outputs);

/* `count` output elements from number `begin` on, all in one row; `offsets` say where the first of
 * them is in each operand, in elements. */
typedef void (*row_body)(void *context, int64_t begin, int64_t count,
                         const int64_t offsets[WALK_OPERANDS]);

/* Calls body for output elements `begin` to `end`. */
void walk_rows(const row_walk *walk, int64_t begin, int64_t end, row_body body, void *context);

/* Copies what operand number `operand` has for output elements `begin` to `begin + count` into
 * compact memory. */
void gather_rows(const row_walk *walk, int operand, const char *elements, size_t element_size,
                 int64_t begin, int64_t count, char *target);

/* Rows shorter than this are better gathered, a block of them at a time, than walked. */
#define SHORT_ROW 32

#endif
