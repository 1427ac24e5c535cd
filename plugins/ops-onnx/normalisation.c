#include "normalisation.h"

#include <math.h>

#include "elements.h"

static double factor_at(const element_factors *factors, int64_t index, double otherwise) {
    if (factors->view == NULL) {
        return otherwise;
    }
    const int64_t number = factors->first + index / factors->period % factors->count;
    return number_at(factors->view->dtype, tn_data(factors->view), number);
}

void normalise_set(const normalised_set *set, double *out_mean, double *out_inverse_deviation) {
    const tn_dtype dtype = set->data->dtype;
    const void *elements = tn_data(set->data);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < set->length && !set->keeps_mean; i++) {
        sum += number_at(dtype, elements, set->first + i);
    }
    const double mean = set->keeps_mean ? 0 : sum / (double)set->length;
    for (int64_t i = 0; i < set->length; i++) {
        const double distance = number_at(dtype, elements, set->first + i) - mean;
        squares += distance * distance;
    }
    const double inverse = 1 / sqrt(squares / (double)set->length + set->epsilon);
    for (int64_t i = 0; i < set->length; i++) {
        const double x = (number_at(dtype, elements, set->first + i) - mean) * inverse;
        write_number(set->output->dtype, tn_data(set->output), set->first + i,
                     x * factor_at(&set->scale, i, 1) + factor_at(&set->shift, i, 0));
    }
    *out_mean = mean;
    *out_inverse_deviation = inverse;
}
