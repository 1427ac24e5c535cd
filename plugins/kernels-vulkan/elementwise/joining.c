/* Movers of several inputs into one output: Concat and stack. */
#include "entries_elementwise.h"
#include "mover.h"
#include "mover_kernel.h"

/* What lies within the axis, as often as there is something around it, side by side with the other
 * inputs'. With stack the axis is a new one, of extent 1 in each input. */
static void describe_join(const mover_node *node, uint32_t number, int64_t given_axis,
                          element_move *out_move) {
    const mover_shape output = mover_output(node, 0);
    const int32_t axis = mover_axis(given_axis, output.rank);
    const int64_t outer = mover_product(output, 0, axis);
    const int64_t pitch = mover_product(output, axis, output.rank);
    for (uint32_t i = 0; i <= number; i++) {
        const mover_shape input = mover_input(node, i);
        const int64_t inner = mover_product(input, axis, input.rank);
        if (i < number) {
            out_move->to_place += inner;
        } else {
            axes_add(&out_move->axes, outer, inner, pitch);
            axes_add(&out_move->axes, inner, 1, 1);
        }
    }
    out_move->input = number;
}

typedef struct concat_attributes {
    int64_t dim;
} concat_attributes;

static const tn_attribute concat_fields[] = {
    TN_FIELD(concat_attributes, dim, INT, "1", "[-32,31]", "The axis to join along."),
};

static void describe_concat(const mover_node *node, uint32_t number, element_move *out_move) {
    const concat_attributes *given = node->attributes;
    describe_join(node, number, given->dim, out_move);
}

MOVER(concat, MOVES_EACH_INPUT)
MOVER_KERNEL(Concat, concat)
MOVER_KERNEL(concat, concat)

typedef struct stack_attributes {
    int64_t axis;
} stack_attributes;

static const tn_attribute stack_fields[] = {
    TN_FIELD(stack_attributes, axis, INT, "0", "[-32,31]", "The place of the new axis."),
};

static void describe_stack(const mover_node *node, uint32_t number, element_move *out_move) {
    const stack_attributes *given = node->attributes;
    describe_join(node, number, given->axis, out_move);
}

MOVER(stack, MOVES_EACH_INPUT)
MOVER_KERNEL(stack, stack)
