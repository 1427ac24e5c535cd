/*
 * Elements of any dtype as numbers. One at a time for indices and parameters, in blocks for
 * kernels that compute in one type whatever the memory holds.
 */
#ifndef OPS_ONNX_ELEMENTS_H
#define OPS_ONNX_ELEMENTS_H

#include <tenon/plugin.h>

/* Element number `index`. A float becomes an integer by truncation; what is beyond int64 becomes
 * its end, NaN 0. */
double read_number(tn_dtype dtype, const void *elements, int64_t index);
int64_t read_integer(tn_dtype dtype, const void *elements, int64_t index);

/* Writing to an integer dtype truncates a fraction, and what is beyond the dtype becomes its end
 * (NaN 0); write_integer keeps the low bits instead. */
void write_number(tn_dtype dtype, void *elements, int64_t index, double value);
void write_integer(tn_dtype dtype, void *elements, int64_t index, int64_t value);

/* `count` elements from number `first` on, `stride` apart, to compact memory and back. */
void read_doubles(tn_dtype dtype, const void *elements, int64_t first, int64_t stride,
                  int64_t count, double *out_values);
void write_doubles(tn_dtype dtype, void *elements, int64_t first, int64_t stride, int64_t count,
                   const double *values);
void read_floats(tn_dtype dtype, const void *elements, int64_t first, int64_t stride, int64_t count,
                 float *out_values);
void write_floats(tn_dtype dtype, void *elements, int64_t first, int64_t stride, int64_t count,
                  const float *values);

/* read_number, fast for float. */
TN_INLINE_ double number_at(tn_dtype dtype, const void *elements, int64_t index) {
    return dtype == TN_F32 ? (double)((const float *)elements)[index]
                           : read_number(dtype, elements, index);
}

/* Copies one element of `size` bytes: 1, 2, 4 or 8. */
TN_INLINE_ void copy_element(char *target, const char *source, size_t size) {
    switch (size) {
    case 1: memcpy(target, source, 1); break;
    case 2: memcpy(target, source, 2); break;
    case 4: memcpy(target, source, 4); break;
    default: memcpy(target, source, 8); break;
    }
}

TN_INLINE_ int is_floating(tn_dtype dtype) {
    return dtype == TN_F16 || dtype == TN_BF16 || dtype == TN_F32 || dtype == TN_F64;
}

/* The dtypes of kernels for floating elements. */
extern const tn_dtype floating_dtypes[4];

/* A kernel's `supports` for nodes whose inputs and outputs, but for those of an index dtype, are
 * floating: those that ONNX calls T. */
int32_t supports_floating_first_input(const tn_kernel_query *query);

#endif
