/*
 * Functions that libm lacks, or has in a form that several threads cannot use.
 */
#ifndef OPS_MATH_SPECIAL_FUNCTIONS_H
#define OPS_MATH_SPECIAL_FUNCTIONS_H

/* The inverse of erf. NaN outside -1 to 1, an infinity at these ends. */
double inverse_erf(double y);

/* The logarithm of the absolute value of the gamma function. */
double log_gamma(double x);

#endif
