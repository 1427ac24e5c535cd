/*
 * Eager calls: one operator, now, on host tensors.
 */
#ifndef TENON_INVOKE_H
#define TENON_INVOKE_H

#include <tenon/tensor.h>

/* Runs operator `op` once on the CPU. `inputs` in the operator's order (NULL: an absent optional
 * input). `outputs` has `output_count` places for the operator's visible outputs: a tensor of the
 * right type is written to, NULL is replaced by a new tensor with one count for the caller.
 *
 * The prepared call is kept by name, attributes and types, so that the next call of the same form
 * parses and prepares nothing. */
TN_API tn_status tn_invoke(tn_runtime *runtime, const char *op, const tn_option *attributes,
                           uint32_t attribute_count, tn_tensor *const *inputs, uint32_t input_count,
                           tn_tensor **outputs, uint32_t output_count);

/* How many visible outputs the call would have. */
TN_API tn_status tn_invoke_output_count(tn_runtime *runtime, const char *op,
                                        const tn_option *attributes, uint32_t attribute_count,
                                        uint32_t input_count, uint32_t *out_count);

#endif
