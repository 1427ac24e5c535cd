/*
 * The innermost loops of matrix products and convolutions, in float and double, compiled for
 * several instruction sets. All of them round each product and each sum by itself, in the same
 * order, so that a result does not depend on the machine.
 */
#ifndef OPS_NN_MICRO_KERNELS_H
#define OPS_NN_MICRO_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* A tile of a product: TILE_ROWS rows, each TILE_BYTES wide. That many sums fit the registers of
 * every instruction set. */
#define TILE_ROWS 4
#define TILE_BYTES 64
#define TILE_COLUMNS(real_size) ((int64_t)(TILE_BYTES / (real_size)))

/* tile[r][c] = the sum over k of rows[k][r] * columns[k][c] */
typedef void (*multiply_tile_f32)(int64_t depth, const float *rows, const float *columns,
                                  float *tile);
typedef void (*multiply_tile_f64)(int64_t depth, const double *rows, const double *columns,
                                  double *tile);

/* sums[c] = the sum over i of weights[i] * source[offsets[i] + c], for a tile's columns */
typedef void (*weigh_run_f32)(int64_t count, const float *weights, const int64_t *offsets,
                              const float *source, float *sums);
typedef void (*weigh_run_f64)(int64_t count, const double *weights, const int64_t *offsets,
                              const double *source, double *sums);

typedef struct micro_kernels {
    multiply_tile_f32 multiply_f32;
    multiply_tile_f64 multiply_f64;
    weigh_run_f32 weigh_f32;
    weigh_run_f64 weigh_f64;
} micro_kernels;

/* The fastest that this machine runs. */
const micro_kernels *micro_kernels_select(void);

#endif
