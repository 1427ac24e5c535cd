/*
 * What the operators of this folder share: pieces of their descriptions, and their gradients.
 */
#ifndef OPS_SHAPE_OPERATOR_H
#define OPS_SHAPE_OPERATOR_H

#include <tenon/plugin.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* Fields of a tn_op: its attribute table, and the struct that the host fills in by it. */
#define OP_ATTRIBUTES(TABLE, STRUCT)                                                               \
    .attributes = (TABLE), .attribute_count = COUNT_OF(TABLE),                                     \
    .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(STRUCT)

/* Fields of a tn_op: the names of its inputs and its one output. */
#define OP_INPUTS(NAMES) .input_names = (NAMES), .input_name_count = COUNT_OF(NAMES), OP_OUTPUT
#define OP_OUTPUT .output_names = output_name, .output_name_count = 1

/* Attributes that MXNet writes and that mean nothing here. */
#define UNUSED_TEXT(STRUCT, FIELD)                                                                 \
    TN_FIELD(STRUCT, FIELD, STRING, "", NULL, "Accepted for compatibility; has no effect.")

extern const char *const data_name[1];        /* "data" */
extern const char *const left_right_names[2]; /* "lhs", "rhs" */
extern const char *const output_name[1];      /* "output" */

/* The gradient of what only changes the shape: the output's gradient in the input's shape. */
tn_status gradient_like_input(tn_gradient_call *call);

/* The gradient of the identity: the output's gradient as it is. */
tn_status gradient_of_identity(tn_gradient_call *call);

/* The gradient of what does not depend on its input's elements, or is said not to: none. */
tn_status gradient_none(tn_gradient_call *call);

/* Adds the node `op` that computes the gradient of input 0 from `inputs`. */
tn_status gradient_add_node(tn_gradient_call *call, const char *op, const tn_option *attributes,
                            uint32_t attribute_count, const tn_value *inputs, uint32_t input_count);

#endif
