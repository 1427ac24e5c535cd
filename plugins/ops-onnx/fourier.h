/* The discrete Fourier transform of one line of complex numbers, of any length, summed directly. */
#ifndef OPS_ONNX_FOURIER_H
#define OPS_ONNX_FOURIER_H

#include <tenon/plugin.h>

/* cos and sin of 2 pi k / length, for all k below length: `table` has room for twice as many. */
void fill_twiddles(int64_t length, double *table);

/* result[k] = the sum over n of input[n] * exp(-2 pi i k n / length), or with the other sign when
 * inverse, for `count` values of k. Real and imaginary parts lie side by side; `input` has `length`
 * numbers. */
void transform_line(const double *input, int64_t length, const double *table, int is_inverse,
                    int64_t count, double *result);

#endif
