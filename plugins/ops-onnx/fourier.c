#include "fourier.h"

#include <math.h>

#define TWO_PI 6.28318530717958647693

void fill_twiddles(int64_t length, double *table) {
    for (int64_t k = 0; k < length; k++) {
        table[2 * k] = cos(TWO_PI * (double)k / (double)length);
        table[2 * k + 1] = sin(TWO_PI * (double)k / (double)length);
    }
}

void transform_line(const double *input, int64_t length, const double *table, int is_inverse,
                    int64_t count, double *result) {
    const double sign = is_inverse ? 1 : -1;
    for (int64_t k = 0; k < count; k++) {
        double real = 0, imaginary = 0;
        int64_t turn = 0; /* k * n modulo the length */
        for (int64_t n = 0; n < length; n++) {
            const double cosine = table[2 * turn], sine = sign * table[2 * turn + 1];
            real += input[2 * n] * cosine - input[2 * n + 1] * sine;
            imaginary += input[2 * n] * sine + input[2 * n + 1] * cosine;
            turn += k;
            turn -= turn >= length ? length : 0;
        }
        result[2 * k] = real;
        result[2 * k + 1] = imaginary;
    }
}
