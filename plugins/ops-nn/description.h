/* Shorthand for the parts of operators' descriptions that are always the same. */
#ifndef OPS_NN_DESCRIPTION_H
#define OPS_NN_DESCRIPTION_H

#include <tenon/plugin.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* Fields of a tn_op: the attribute table, and the struct that the host fills in by it. */
#define OP_ATTRIBUTES(TABLE, STRUCT)                                                               \
    .attributes = (TABLE), .attribute_count = COUNT_OF(TABLE),                                     \
    .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(STRUCT)

/* Fields of a tn_op: the names of all inputs and outputs it can have. */
#define OP_NAMES(INPUTS, OUTPUTS)                                                                  \
    .input_names = (INPUTS), .input_name_count = COUNT_OF(INPUTS), .output_names = (OUTPUTS),      \
    .output_name_count = COUNT_OF(OUTPUTS)

#define NO_EFFECT "Accepted for compatibility; has no effect."
#define TRAINING_ONLY "Plays a part in training only."

#endif
