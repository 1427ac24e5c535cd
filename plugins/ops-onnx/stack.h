/* Parts of one shape, joined along a new axis. */
#ifndef OPS_ONNX_STACK_H
#define OPS_ONNX_STACK_H

#include <tenon/plugin.h>

struct stack {
    tn_tensor **parts;
    uint64_t count, capacity;
};

/* NULL: out of memory. */
struct stack *stacks_create(const tn_host *host, uint32_t count);
void stacks_destroy(const tn_host *host, struct stack *stacks, uint32_t count);

/* Takes a count of its own; all parts must be of one type. */
tn_status stack_add(const tn_host *host, struct stack *stack, tn_tensor *part);

/* The shape of parts with one more axis, of this extent. */
tn_shape stacked_shape(const tn_shape *part, int32_t axis, int64_t extent);

/* All parts along a new axis (negative: from the end), the last first when reversed. Without any
 * part `type` says what the tensor is like; extents that it does not know are 0. */
tn_status stack_join(const tn_host *host, const struct stack *stack, const tn_tensor_type *type,
                     int64_t axis, int is_reversed, tn_tensor **out_tensor);

/* prepare and release of kernels that need to know the outputs' types: the state is a copy. */
tn_status keep_output_types(tn_prepare_call *call);
void drop_output_types(const tn_host *host, void *state);

#endif
