/*
 * The exponential family for templates: in float in a form that compilers can vectorise, in double
 * from the C library.
 */
#ifndef OPS_NN_VECTOR_MATH_H
#define OPS_NN_VECTOR_MATH_H

#include <math.h>

#include <tenon/plugin/exponential.h>

static inline float exponential_f32(float x) {
    return tn_exp_f32(x);
}

static inline double exponential_f64(double x) {
    return exp(x);
}

static inline float sigmoid_f32(float x) {
    return tn_sigmoid_f32(x);
}

static inline double sigmoid_f64(double x) {
    return 1.0 / (1.0 + exp(-x));
}

static inline float hyperbolic_tangent_f32(float x) {
    return tn_tanh_f32(x);
}

static inline double hyperbolic_tangent_f64(double x) {
    return tanh(x);
}

#endif
