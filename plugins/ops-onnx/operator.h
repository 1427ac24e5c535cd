/*
 * What the operators of this folder share. An operator NAME is a file that defines NAME_op and
 * NAME_kernel, and a row in the list of its family (families.h).
 */
#ifndef OPS_ONNX_OPERATOR_H
#define OPS_ONNX_OPERATOR_H

#include <tenon/plugin.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* Fields of a tn_op: its attribute table, and the struct that the host fills in by it. */
#define OP_ATTRIBUTES(TABLE, STRUCT)                                                               \
    .attributes = (TABLE), .attribute_count = COUNT_OF(TABLE),                                     \
    .attribute_stride = TN_ATTRIBUTE_STRIDE, .attributes_size = sizeof(STRUCT)

/* Fields of a tn_op: the names of its inputs; and of its one output. */
#define OP_INPUTS(NAMES) .input_names = (NAMES), .input_name_count = COUNT_OF(NAMES)
#define OP_OUTPUTS(NAMES) .output_names = (NAMES), .output_name_count = COUNT_OF(NAMES)
#define OP_OUTPUT .output_names = output_name, .output_name_count = 1
/* Which inputs may be absent: an array of their indices. */
#define OP_OPTIONAL(INDICES) .optional_inputs = (INDICES), .optional_input_count = COUNT_OF(INDICES)

/* Inputs whose elements inference reads. */
#define OP_VALUE_INPUTS(INDICES) .value_inputs = (INDICES), .value_input_count = COUNT_OF(INDICES)

/* The first fields of a kernel of this folder. */
#define CPU_KERNEL(NAME) .struct_size = TN_KERNEL_SIZE, .op = (NAME), .target = "cpu"

/* The kernel's dtypes: an array of those that every input and output has one of. */
#define KERNEL_DTYPES(DTYPES) .dtypes = (DTYPES), .dtype_count = COUNT_OF(DTYPES)

extern const char *const data_name[1];   /* "data" */
extern const char *const output_name[1]; /* "output" */

/* For a kernel that copies input 0's bytes to output 0. */
extern const tn_in_place first_to_first[1];
tn_status copy_first_input(const tn_run_call *call);

#endif
