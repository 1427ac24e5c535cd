#include "mover.h"

mover_shape mover_input(const mover_node *node, uint32_t input) {
    if (node->query != NULL) {
        const tn_shape *shape = &node->query->inputs[input].shape;
        return (mover_shape){shape->rank, shape->extents};
    }
    return (mover_shape){node->call->inputs[input]->rank, node->call->inputs[input]->shape};
}

mover_shape mover_output(const mover_node *node, uint32_t output) {
    if (node->query != NULL) {
        const tn_shape *shape = &node->query->outputs[output].shape;
        return (mover_shape){shape->rank, shape->extents};
    }
    return (mover_shape){node->call->outputs[output]->rank, node->call->outputs[output]->shape};
}

static uint32_t count_moves(const move_rule *rule, uint32_t inputs, uint32_t outputs) {
    return rule->moves == MOVES_EACH_INPUT    ? inputs
           : rule->moves == MOVES_EACH_OUTPUT ? outputs
                                              : 1;
}

static element_move describe(const move_rule *rule, const mover_node *node, uint32_t number) {
    element_move made = {.axes = {.rank = 0}};
    rule->describe(node, number, &made);
    axes_finish(&made.axes);
    return made;
}

/* A launch each: with more the CPU is faster. */
#define MOVER_MAX_MOVES 4096u

int32_t mover_supports(const tn_kernel_query *query, const move_rule *rule) {
    const mover_node node = {query->attributes, query, NULL};
    const uint32_t count = count_moves(rule, query->input_count, query->output_count);
    int32_t fits = supports_sizes(query) && count <= MOVER_MAX_MOVES;
    for (uint32_t i = 0; i < count && fits; i++) {
        fits = describe(rule, &node, i).axes.rank <= SHADER_MAX_AXES;
    }
    return fits;
}

tn_status mover_prepare(tn_prepare_call *call, const move_rule *rule) {
    const mover_node node = {call->attributes, NULL, call};
    const uint32_t count = count_moves(rule, call->input_count, call->output_count);
    device_program *program;
    TN_TRY(program_create(call, &program));
    for (uint32_t i = 0; i < count; i++) {
        const element_move made = describe(rule, &node, i);
        if (axes_count(&made.axes) > 0) {
            add_move(program, call, &made);
        }
    }
    return program_finish(program, call);
}
