/*
 * Normalising sets of elements to mean 0 and variance 1. A set is the elements of a tensor that
 * agree along some axes: its statistics are computed in double, of float elements in lanes of
 * float that are added in double.
 */
#ifndef OPS_ONNX_NORMALISATION_H
#define OPS_ONNX_NORMALISATION_H

#include <tenon/plugin.h>

/* A scale or shift for the elements of a set, or NULL: element i of the set has number
 * first + i / period % count * step. */
typedef struct element_factors {
    const tn_view *view;
    int64_t first, period, count;
} element_factors;

/* `length` elements from number `first` on, one after the other. */
typedef struct normalised_set {
    const tn_view *data, *output;
    int64_t first, length;
    int32_t keeps_mean; /* RMS normalisation takes no mean away */
    double epsilon;
    element_factors scale, shift;
} normalised_set;

/* Normalises one set; the statistics are for the outputs that some operators have. */
void normalise_set(const normalised_set *set, double *out_mean, double *out_inverse_deviation);

#endif
