/*
 * Gradients, built of this plugin's own operators.
 */
#ifndef OPS_MATH_GRADIENTS_H
#define OPS_MATH_GRADIENTS_H

#include <tenon/plugin.h>

/* Functions of two tensors of one shape. */
tn_status gradient_of_add(tn_gradient_call *call);
tn_status gradient_of_subtract(tn_gradient_call *call);
tn_status gradient_of_multiply(tn_gradient_call *call);
tn_status gradient_of_divide(tn_gradient_call *call);

/* Functions of a tensor and the node's `scalar`. */
tn_status gradient_of_shift(tn_gradient_call *call);              /* x + s, x - s */
tn_status gradient_of_reflection(tn_gradient_call *call);         /* s - x, -x */
tn_status gradient_of_multiply_by_scalar(tn_gradient_call *call); /* x * s */
tn_status gradient_of_divide_by_scalar(tn_gradient_call *call);   /* x / s */
tn_status gradient_of_scalar_divided_by(tn_gradient_call *call);  /* s / x */

/* Functions of one tensor. */
tn_status gradient_of_exp(tn_gradient_call *call);
tn_status gradient_of_log(tn_gradient_call *call);
tn_status gradient_of_sqrt(tn_gradient_call *call);
tn_status gradient_of_square(tn_gradient_call *call);
tn_status gradient_of_tanh(tn_gradient_call *call);
tn_status gradient_of_sigmoid(tn_gradient_call *call);
tn_status gradient_of_relu(tn_gradient_call *call);

/* The sum over all axes, or over any with the axes kept. */
tn_status gradient_of_sum(tn_gradient_call *call);
tn_status gradient_of_square_sum(tn_gradient_call *call);

#endif
