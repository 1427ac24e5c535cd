/* The run of a kernel whose output 0 is a function of input 0's elements, one by one. */
#ifndef OPS_NN_ELEMENT_MAP_H
#define OPS_NN_ELEMENT_MAP_H

#include <tenon/plugin.h>

/* y[i] = f(x[i]); x and y may be the same memory. */
typedef struct element_map {
    void (*apply_f32)(const void *parameters, const float *x, float *y, int64_t count);
    void (*apply_f64)(const void *parameters, const double *x, double *y, int64_t count);
    const void *parameters;
} element_map;

tn_status run_element_map(const tn_run_call *call, const element_map *map);

#endif
