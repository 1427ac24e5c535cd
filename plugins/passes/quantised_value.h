/* Values as onnx.QuantizeLinear makes them and onnx.DequantizeLinear reads them. */
#ifndef PASSES_QUANTISED_VALUE_H
#define PASSES_QUANTISED_VALUE_H

#include "work.h"

typedef struct quantised_value {
    tn_value data;              /* the integers, or what is made such */
    tn_value scale, zero_point; /* parameters; a zero point that is absent is TN_NO_NODE */
    tn_tensor *scale_tensor, *zero_tensor; /* the latter NULL when absent */
    tn_dtype dtype;                        /* of the integers */
    int64_t axis;                          /* of the scales, when there are several */
} quantised_value;

/* Whether the value is given by a DequantizeLinear, or the node is a QuantizeLinear, of 8-bit
 * integers (and 32-bit ones, with `takes_int32`), whose parameters are constants. */
int read_dequantized(const pass_work *work, tn_value value, int takes_int32, quantised_value *out);
int read_quantized(const pass_work *work, uint32_t number, quantised_value *out);

int64_t quantised_scale_count(const pass_work *work, const quantised_value *value);

/* Scale `index`, or the only one. */
float quantised_scale(const pass_work *work, const quantised_value *value, int64_t index);

/* Whether all zero points are 0. */
int has_no_zero_point(const pass_work *work, const quantised_value *value);

/* Whether no integer means a negative number. */
int begins_at_zero_point(const pass_work *work, const quantised_value *value);

/* Whether the integers of both mean the same numbers: they have one scale and one zero point. */
int mean_the_same(const pass_work *work, const quantised_value *a, const quantised_value *b);

/* The zero point as an input: one that is absent is added as a parameter, named after `stem`. */
tn_status zero_point_input(const pass_work *work, const quantised_value *value, const char *stem,
                           tn_value *out_value);

#endif
