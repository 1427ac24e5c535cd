/*
 * The innermost loop of products of 8-bit integers: elements are widened to int16 less their zero
 * points, and two terms of the sums are multiplied and added at once, exactly, in int32. Operands
 * are packed in panels: a few rows of the left one or columns of the right one, of which all that
 * belong to two successive terms lie together.
 */
#ifndef OPS_ONNX_INTEGER_TILE_H
#define OPS_ONNX_INTEGER_TILE_H

#include <stdint.h>

#define TILE_ROWS 6

#if defined(__AVX512BW__)
#define TILE_COLUMNS 32
#elif defined(__AVX2__)
#define TILE_COLUMNS 16
#else
#define TILE_COLUMNS 8
#endif

/* sums[r * stride + c] = the sum over `pairs` pairs of terms, for the rows of a panel of the left
 * operand and the columns of one of the right. */
typedef void multiply_tile(int64_t pairs, const int16_t *rows, const int16_t *columns,
                           int32_t *sums, int64_t stride);

/* Packs `pairs` pairs of rows, `stride` bytes apart, of a full panel of the right operand: each
 * byte, with the bits of `turned` turned, less the zero point of its column, of which `zeros` has
 * two. */
void interleave_rows(int64_t pairs, const uint8_t *rows, int64_t stride, uint8_t turned,
                     const int16_t *zeros, int16_t *panel);

/* The fastest that this machine runs. */
multiply_tile *multiply_tile_select(void);

#endif
