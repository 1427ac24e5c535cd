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

/* Sums over a block run in so many lanes, each in float; what they come to is added in double. */
enum { SUM_LANES = 32, SUM_BLOCK = 8192 };

static int64_t block_from(int64_t begin, int64_t end) {
    return end - begin < SUM_BLOCK ? end - begin : SUM_BLOCK;
}

static double add_lanes(const float *lanes) {
    double sum = 0;
    for (int lane = 0; lane < SUM_LANES; lane++) {
        sum += (double)lanes[lane];
    }
    return sum;
}

static double sum_floats(const float *x, int64_t count) {
    float lanes[SUM_LANES] = {0};
    int64_t i = 0;
    double rest = 0;
    for (; i + SUM_LANES <= count; i += SUM_LANES) {
        for (int lane = 0; lane < SUM_LANES; lane++) {
            lanes[lane] += x[i + lane];
        }
    }
    for (; i < count; i++) {
        rest += (double)x[i];
    }
    return rest + add_lanes(lanes);
}

static double sum_squares(const float *x, float mean, int64_t count) {
    float lanes[SUM_LANES] = {0};
    int64_t i = 0;
    double rest = 0;
    for (; i + SUM_LANES <= count; i += SUM_LANES) {
        for (int lane = 0; lane < SUM_LANES; lane++) {
            lanes[lane] += (x[i + lane] - mean) * (x[i + lane] - mean);
        }
    }
    for (; i < count; i++) {
        rest += (double)((x[i] - mean) * (x[i] - mean));
    }
    return rest + add_lanes(lanes);
}

/* How many elements from number `i` of a set on have factors that lie side by side (a period of 1),
 * or one factor. */
static int64_t run_of(const element_factors *factors, int64_t i, int64_t rest) {
    if (factors->view == NULL) {
        return rest;
    }
    const int64_t run = factors->period == 1 ? factors->count - i % factors->count
                                             : factors->period - i % factors->period;
    return run < rest ? run : rest;
}

/* The first of a run's factors, and how far apart they are. */
typedef struct factor_run {
    const float *factors;
    int64_t step;
} factor_run;

static factor_run factors_at(const element_factors *factors, int64_t i, const float *otherwise) {
    if (factors->view == NULL) {
        return (factor_run){otherwise, 0};
    }
    const int64_t number = factors->first + i / factors->period % factors->count;
    return (factor_run){(const float *)tn_data(factors->view) + number, factors->period == 1};
}

/* Where both have a factor for each element, or both have one for all, the loops are vector code.
 */
static void scale_run(const float *x, float mean, float inverse, factor_run scale, factor_run shift,
                      float *y, int64_t count) {
    if (scale.step == 1 && shift.step == 1) {
        for (int64_t i = 0; i < count; i++) {
            y[i] = (x[i] - mean) * inverse * scale.factors[i] + shift.factors[i];
        }
    } else if (scale.step == 1) {
        for (int64_t i = 0; i < count; i++) {
            y[i] = (x[i] - mean) * inverse * scale.factors[i] + shift.factors[0];
        }
    } else if (shift.step == 1) {
        for (int64_t i = 0; i < count; i++) {
            y[i] = (x[i] - mean) * inverse * scale.factors[0] + shift.factors[i];
        }
    } else {
        const float factor = scale.factors[0], addend = shift.factors[0];
        for (int64_t i = 0; i < count; i++) {
            y[i] = (x[i] - mean) * inverse * factor + addend;
        }
    }
}

static int is_floats(const tn_view *view) {
    return view == NULL || view->dtype == TN_F32;
}

static void normalise_floats(const normalised_set *set, double *out_mean,
                             double *out_inverse_deviation) {
    static const float one = 1, zero = 0;
    const float *x = (const float *)tn_data(set->data) + set->first;
    float *y = (float *)tn_data(set->output) + set->first;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < set->length && !set->keeps_mean; i += SUM_BLOCK) {
        sum += sum_floats(x + i, block_from(i, set->length));
    }
    const double mean = sum / (double)set->length;
    for (int64_t i = 0; i < set->length; i += SUM_BLOCK) {
        squares += sum_squares(x + i, (float)mean, block_from(i, set->length));
    }
    const double inverse = 1 / sqrt(squares / (double)set->length + set->epsilon);
    for (int64_t i = 0; i < set->length;) {
        const int64_t count = run_of(&set->shift, i, run_of(&set->scale, i, set->length - i));
        scale_run(x + i, (float)mean, (float)inverse, factors_at(&set->scale, i, &one),
                  factors_at(&set->shift, i, &zero), y + i, count);
        i += count;
    }
    *out_mean = mean;
    *out_inverse_deviation = inverse;
}

void normalise_set(const normalised_set *set, double *out_mean, double *out_inverse_deviation) {
    const tn_dtype dtype = set->data->dtype;
    const void *elements = tn_data(set->data);
    double sum = 0, squares = 0;
    if (is_floats(set->data) && is_floats(set->output) && is_floats(set->scale.view) &&
        is_floats(set->shift.view)) {
        normalise_floats(set, out_mean, out_inverse_deviation);
        return;
    }
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
