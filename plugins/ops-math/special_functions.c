#define _DEFAULT_SOURCE /* lgamma_r */
#include "special_functions.h"

#include <math.h>

/* Winitzki's approximation, good to about three digits: a start for Newton's method. */
static double approximate_inverse_erf(double magnitude) {
    const double a = 0.147;
    const double pi = 3.14159265358979323846;
    const double logarithm = log1p(-magnitude * magnitude);
    const double half = 2 / (pi * a) + logarithm / 2;
    return sqrt(sqrt(half * half - logarithm / a) - half);
}

/* Solves erf(x) = y by Halley's method. Near 1 the equation is taken as erfc(x) = 1 - y, which
 * keeps the digits that 1 - erf(x) would lose. */
double inverse_erf(double y) {
    const double magnitude = fabs(y);
    if (!(magnitude < 1)) {
        return magnitude == 1 ? copysign(INFINITY, y) : NAN;
    }
    const double two_over_sqrt_pi = 1.12837916709551257390;
    double x = magnitude < 1e-8 ? magnitude / two_over_sqrt_pi : approximate_inverse_erf(magnitude);
    for (int step = 0; step < 3; step++) {
        const double error = magnitude < 0.5 ? erf(x) - magnitude : (1 - magnitude) - erfc(x);
        const double newton = error / (two_over_sqrt_pi * exp(-x * x));
        x -= newton / (1 + x * newton);
    }
    return copysign(x, y);
}

/* lgamma keeps the sign in a global variable; lgamma_r does not. */
double log_gamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}
