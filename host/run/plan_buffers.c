/*
 * Memory for every value: which values share a buffer (in place, or only looking at the same bytes
 * under another shape), how long each buffer lives, whose memory it is, and where in the arena.
 */
#include <string.h>

#include "base/error.h"
#include "run/plan_build.h"

static uint32_t add_buffer(tni_plan_builder *builder, tni_buffer_kind kind, uint32_t index,
                           uint64_t size, uint32_t first, uint32_t last) {
    builder->buffers[builder->buffer_count] =
        (tni_plan_buffer){kind, index, {size, first, last, 0}, false};
    return builder->buffer_count++;
}

/* The steps that read each value. A graph output is read after the last step. */
static void find_last_uses(tni_plan_builder *builder) {
    const tni_plan *plan = builder->plan;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const tni_node *node = builder->graph->nodes[plan->steps[i].node];
        for (uint32_t j = 0; j < node->output_count; j++) {
            builder->values[plan->steps[i].node][j].last_use = i;
        }
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (tni_plan_has_value(builder, node->inputs[j])) {
                tni_plan_value_of(builder, node->inputs[j])->last_use = i;
            }
        }
    }
    for (uint32_t i = 0; i < builder->graph->output_count; i++) {
        tni_plan_value_of(builder, builder->graph->outputs[i])->last_use = plan->step_count;
    }
}

static void assign_variables(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        tni_plan_value *value = builder->values[number];
        if (builder->graph->nodes[number]->op != NULL) {
            continue;
        }
        value->buffer =
            add_buffer(builder, TNI_BUFFER_PARAMETER, number, value->size, 0, value->last_use);
        builder->buffers[value->buffer].is_mutated =
            tn_graph_variable_kind(builder->graph, number) == TN_VARIABLE_AUXILIARY;
    }
    for (uint32_t i = 0; i < builder->plan->input_count; i++) {
        /* An input that nothing reads has no value. */
        tni_plan_value *value = builder->values[builder->inputs[i]];
        if (value != NULL) {
            tni_plan_buffer *buffer = &builder->buffers[value->buffer];
            buffer->kind = TNI_BUFFER_INPUT;
            buffer->index = i;
        }
    }
}

static tni_plan_buffer *buffer_of_input(const tni_plan_builder *builder, const tni_node *node,
                                        uint32_t input) {
    if (input >= node->input_count || !tni_plan_has_value(builder, node->inputs[input])) {
        return NULL;
    }
    return &builder->buffers[tni_plan_value_of(builder, node->inputs[input])->buffer];
}

/* Whether some other input, which the kernel does not allow to be overwritten, is in `buffer`. */
static bool is_read_elsewhere(const tni_plan_builder *builder, const tni_node *node,
                              const tn_kernel *kernel, tn_in_place pair,
                              const tni_plan_buffer *buffer) {
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (i == pair.input || buffer_of_input(builder, node, i) != buffer) {
            continue;
        }
        bool allowed = false;
        for (uint32_t j = 0; j < kernel->in_place_count; j++) {
            allowed = allowed ||
                      (kernel->in_place[j].input == i && kernel->in_place[j].output == pair.output);
        }
        if (!allowed) {
            return true;
        }
    }
    return false;
}

static void join(tni_plan_value *value, tni_plan_buffer *buffer, uint32_t buffer_number) {
    value->buffer = buffer_number;
    if (value->last_use > buffer->plan.last) {
        buffer->plan.last = value->last_use;
    }
}

/* Tries to give output `output` of a step the memory of one of its inputs. */
static bool try_share(tni_plan_builder *builder, uint32_t step_number, uint32_t output) {
    tni_step *step = &builder->plan->steps[step_number];
    const tni_node *node = builder->graph->nodes[step->node];
    const tn_kernel *kernel = step->kernel->entry->impl;
    tni_plan_value *value = &builder->values[step->node][output];
    const bool copies = (kernel->flags & TN_KERNEL_COPIES_INPUT) != 0 && output == 0;
    tni_plan_buffer *source = copies ? buffer_of_input(builder, node, 0) : NULL;
    if (source != NULL && !source->is_mutated &&
        tni_plan_value_of(builder, node->inputs[0])->size == value->size) {
        join(value, source, (uint32_t)(source - builder->buffers));
        step->is_elided = node->output_count == 1;
        return true;
    }
    for (uint32_t i = 0; i < kernel->in_place_count; i++) {
        const tn_in_place pair = kernel->in_place[i];
        tni_plan_buffer *buffer = buffer_of_input(builder, node, pair.input);
        if (pair.output != output || buffer == NULL || buffer->kind != TNI_BUFFER_ARENA ||
            buffer->plan.last != step_number || buffer->plan.size != value->size ||
            is_read_elsewhere(builder, node, kernel, pair, buffer)) {
            continue;
        }
        /* From here on the buffer lives for the output: a second output cannot take it too. */
        join(value, buffer, (uint32_t)(buffer - builder->buffers));
        if (buffer->plan.last == step_number) {
            buffer->plan.last = step_number + 1;
        }
        return true;
    }
    return false;
}

static void assign_outputs_of_steps(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->plan->step_count; i++) {
        const uint32_t number = builder->plan->steps[i].node;
        for (uint32_t j = 0; j < builder->graph->nodes[number]->output_count; j++) {
            tni_plan_value *value = &builder->values[number][j];
            if (!try_share(builder, i, j)) {
                value->buffer =
                    add_buffer(builder, TNI_BUFFER_ARENA, 0, value->size, i, value->last_use);
            }
        }
    }
}

/* The first output in a buffer of the arena makes the buffer the caller's memory; others that share
 * it, and those in inputs or parameters, are copied when all has run. */
static tn_status assign_graph_outputs(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    plan->output_copies =
        tni_arena_allocate(&plan->memory, plan->output_count, sizeof(tni_output_copy));
    if (plan->output_copies == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plan->output_count; i++) {
        const tni_plan_value *value = tni_plan_value_of(builder, builder->graph->outputs[i]);
        tni_plan_buffer *buffer = &builder->buffers[value->buffer];
        if (buffer->kind == TNI_BUFFER_ARENA) {
            buffer->kind = TNI_BUFFER_OUTPUT;
            buffer->index = i;
        } else {
            plan->output_copies[plan->output_copy_count++] =
                (tni_output_copy){value->view, i, value->size};
        }
    }
    return TN_OK;
}

static uint32_t count_values(const tni_plan_builder *builder) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < builder->order_count; i++) {
        count += builder->graph->nodes[builder->order[i]]->output_count;
    }
    return count;
}

tn_status tni_plan_assign_buffers(tni_plan_builder *builder) {
    tni_arena *scratch = &builder->scratch;
    const uint32_t steps = builder->plan->step_count;
    builder->buffers =
        tni_arena_allocate(scratch, (size_t)count_values(builder) + steps, sizeof(tni_plan_buffer));
    builder->workspaces = tni_arena_allocate(scratch, steps, sizeof(uint32_t));
    if (builder->buffers == NULL || builder->workspaces == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    find_last_uses(builder);
    assign_variables(builder);
    assign_outputs_of_steps(builder);
    TNI_TRY(assign_graph_outputs(builder));
    /* Kernels see the elements of parameters when they prepare. */
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        for (uint32_t j = 0; j < builder->graph->nodes[number]->output_count; j++) {
            const tni_plan_value *value = &builder->values[number][j];
            const tni_plan_buffer *buffer = &builder->buffers[value->buffer];
            if (buffer->kind == TNI_BUFFER_PARAMETER) {
                const tn_view *view = tn_tensor_view(builder->parameters[buffer->index]);
                value->view->data = view->data;
                value->view->byte_offset = view->byte_offset;
            }
        }
    }
    return TN_OK;
}

static void measure(tni_plan_builder *builder) {
    tn_plan_info *info = &builder->plan->info;
    for (uint32_t i = 0; i < builder->plan->step_count; i++) {
        const tni_step *step = &builder->plan->steps[i];
        builder->workspaces[i] =
            add_buffer(builder, TNI_BUFFER_ARENA, 0, step->workspace_size, i, i);
        if (step->workspace_size > info->workspace_size) {
            info->workspace_size = step->workspace_size;
        }
        for (uint32_t j = 0; j < step->call.output_count; j++) {
            info->naive_size += builder->values[step->node][j].size;
        }
    }
    for (uint32_t i = 0; i < builder->buffer_count; i++) {
        if (builder->buffers[i].kind == TNI_BUFFER_PARAMETER) {
            info->parameter_size += builder->buffers[i].plan.size;
        }
    }
}

static tn_status place(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    const uint32_t count = builder->buffer_count;
    tni_buffer_plan *placed = tni_arena_allocate(&builder->scratch, count, sizeof *placed);
    uint32_t *numbers = tni_arena_allocate(&builder->scratch, count, sizeof *numbers);
    uint32_t used = 0;
    if (placed == NULL || numbers == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        tni_buffer_plan *buffer = &builder->buffers[i].plan;
        if (builder->buffers[i].kind == TNI_BUFFER_ARENA) {
            if (buffer->last >= plan->step_count) {
                buffer->last = plan->step_count - 1;
            }
            numbers[used] = i;
            placed[used++] = *buffer;
        }
    }
    TNI_TRY(tni_memory_plan(placed, used, &plan->info.arena_size));
    TNI_TRY(tni_memory_lower_bound(placed, used, plan->step_count, &plan->info.lower_bound));
    for (uint32_t i = 0; i < used; i++) {
        builder->buffers[numbers[i]].plan.offset = placed[i].offset;
    }
    return TN_OK;
}

tn_status tni_plan_place_buffers(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    measure(builder);
    TNI_TRY(place(builder));
    const uint64_t size = plan->info.arena_size;
    plan->buffer_size = size == 0 ? TNI_ARENA_ALIGNMENT : size;
    return tni_device_allocate(plan->device, plan->buffer_size, &plan->buffer);
}
