/*
 * Which values share memory, in each place: in place where a kernel can and nothing reads the input
 * later, and where a kernel only copies, so that both are the same bytes under two shapes. And
 * whose memory it is: the plan's arena, a parameter, or the caller's.
 */
#include <string.h>

#include "base/error.h"
#include "run/plan_build.h"

static uint32_t add_buffer(tni_plan_builder *builder, tni_buffer_kind kind, uint32_t index,
                           uint32_t place, uint64_t size, uint32_t first, uint32_t last) {
    builder->buffers[builder->buffer_count] =
        (tni_plan_buffer){kind, index, place, {size, first, last, 0}, false};
    return builder->buffer_count++;
}

static void use(tni_plan_value *value, uint32_t place, uint32_t step) {
    tni_replica *replica = &value->at[place];
    replica->last_use = step > replica->last_use ? step : replica->last_use;
}

/* Until when a value that the other place reads must last. What the device makes is sent when the
 * segment ends; what the CPU makes is fetched whenever the device gets there. */
static uint32_t last_sending(const tni_plan *plan, const tni_step *step) {
    const tni_segment *segment = &plan->segments[step->segment];
    return step->place == TNI_PLACE_HOST ? plan->step_count
                                         : segment->first_step + segment->step_count;
}

/* The last step in each place that reads a value. A graph output is read after the last step. */
static void find_last_uses(tni_plan_builder *builder) {
    const tni_plan *plan = builder->plan;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const tni_step *step = &plan->steps[i];
        const tni_node *node = tni_plan_node(builder->plan, step->node);
        for (uint32_t j = 0; j < node->output_count; j++) {
            tni_plan_value *value = &builder->values[step->node][j];
            use(value, step->place, value->is_used[!step->place] ? last_sending(plan, step) : i);
        }
        for (uint32_t j = 0; j < node->input_count; j++) {
            if (tni_plan_has_value(builder, step->inputs[j])) {
                use(tni_plan_value_of(builder, step->inputs[j]), step->place, i);
            }
        }
    }
    for (uint32_t i = 0; i < builder->graph->output_count; i++) {
        tni_plan_value *value = tni_plan_value_of(builder, builder->outputs[i]);
        use(value, value->home, plan->step_count);
    }
}

/* A variable in one place: an input is the caller's memory, a parameter has its own. What the
 * device sends to the CPU of an input is memory of the plan's that lasts for the whole run. */
static void assign_variable(tni_plan_builder *builder, uint32_t number, uint32_t place) {
    tni_plan_value *value = builder->values[number];
    const int64_t input = tni_plan_input_of(builder, number);
    const uint32_t end = builder->plan->step_count;
    const bool is_received =
        place == TNI_PLACE_HOST && !value->is_sparse && (input >= 0 || value->is_state);
    const tni_buffer_kind kind = is_received ? TNI_BUFFER_ARENA
                                 : input < 0 ? TNI_BUFFER_PARAMETER
                                             : TNI_BUFFER_INPUT;
    tni_replica *replica = &value->at[place];
    replica->buffer =
        add_buffer(builder, kind, input < 0 ? number : (uint32_t)input, place, value->size, 0, end);
    builder->buffers[replica->buffer].is_mutated =
        tn_graph_variable_kind(builder->graph, number) == TN_VARIABLE_AUXILIARY;
}

/* What is known ahead has its memory already. */
static void assign_constants(tni_plan_builder *builder, uint32_t number) {
    for (uint32_t i = 0; i < tni_plan_node(builder->plan, number)->output_count; i++) {
        tni_plan_value *value = &builder->values[number][i];
        for (uint32_t place = 0; place < TNI_PLACE_COUNT; place++) {
            if (value->at[place].view != NULL) {
                value->at[place].buffer =
                    add_buffer(builder, TNI_BUFFER_CONSTANT, value->constant, place, value->size, 0,
                               builder->plan->step_count);
            }
        }
    }
}

static void assign_variables(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        if (tni_plan_is_known(builder, number)) {
            assign_constants(builder, number);
        }
        for (uint32_t place = 0; place < TNI_PLACE_COUNT; place++) {
            if (tni_plan_node(builder->plan, number)->op == NULL &&
                builder->values[number]->at[place].view != NULL) {
                assign_variable(builder, number, place);
            }
        }
    }
}

static tni_plan_buffer *buffer_of_input(const tni_plan_builder *builder, const tni_step *step,
                                        uint32_t input) {
    const tni_node *node = tni_plan_node(builder->plan, step->node);
    if (input >= node->input_count || !tni_plan_has_value(builder, step->inputs[input])) {
        return NULL;
    }
    return &builder
                ->buffers[tni_plan_value_of(builder, step->inputs[input])->at[step->place].buffer];
}

/* Whether some other input, which the kernel does not allow to be overwritten, is in `buffer`. */
static bool is_read_elsewhere(const tni_plan_builder *builder, const tni_step *step,
                              const tn_kernel *kernel, tn_in_place pair,
                              const tni_plan_buffer *buffer) {
    for (uint32_t i = 0; i < step->call.input_count; i++) {
        if (i == pair.input || buffer_of_input(builder, step, i) != buffer) {
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

static void join(tni_plan_builder *builder, tni_replica *replica, tni_plan_buffer *buffer) {
    replica->buffer = (uint32_t)(buffer - builder->buffers);
    if (replica->last_use > buffer->plan.last) {
        buffer->plan.last = replica->last_use;
    }
}

/* A kernel that only copies: the output may be the input's memory, whoever else reads it. */
static bool share_copy(tni_plan_builder *builder, tni_step *step, uint32_t output) {
    const tn_kernel *kernel = step->kernel->entry->impl;
    const tni_node *node = tni_plan_node(builder->plan, step->node);
    tni_plan_value *value = &builder->values[step->node][output];
    tni_plan_buffer *source = buffer_of_input(builder, step, 0);
    if ((kernel->flags & TN_KERNEL_COPIES_INPUT) == 0 || output != 0 || source == NULL ||
        source->is_mutated || value->is_sparse ||
        tni_plan_value_of(builder, step->inputs[0])->is_sparse ||
        tni_plan_value_of(builder, step->inputs[0])->size != value->size) {
        return false;
    }
    join(builder, &value->at[step->place], source);
    step->is_elided = node->output_count == 1;
    return true;
}

static bool share_in_place(tni_plan_builder *builder, uint32_t step_number, uint32_t output) {
    tni_step *step = &builder->plan->steps[step_number];
    const tn_kernel *kernel = step->kernel->entry->impl;
    tni_plan_value *value = &builder->values[step->node][output];
    for (uint32_t i = 0; i < kernel->in_place_count; i++) {
        const tn_in_place pair = kernel->in_place[i];
        tni_plan_buffer *buffer = buffer_of_input(builder, step, pair.input);
        if (pair.output != output || buffer == NULL || buffer->kind != TNI_BUFFER_ARENA ||
            buffer->plan.last != step_number || buffer->plan.size != value->size ||
            tni_plan_value_of(builder, step->inputs[pair.input])->layout != value->layout ||
            is_read_elsewhere(builder, step, kernel, pair, buffer)) {
            continue;
        }
        join(builder, &value->at[step->place], buffer);
        if (output == 0) {
            step->is_in_place = true;
            step->overwritten = pair.input;
        }
        if (buffer->plan.last == step_number) {
            buffer->plan.last++; /* it lives for the output now: a second one cannot take it too */
        }
        return true;
    }
    return false;
}

/* The replica of a value in the place that does not make it. Memory of the host that the device
 * writes or reads is used whenever the device gets there: it is nobody else's for the whole run. */
static void assign_other_place(tni_plan_builder *builder, tni_plan_value *value, uint32_t step) {
    const uint32_t place = !value->home, end = builder->plan->step_count;
    if (value->at[place].view != NULL) {
        value->at[place].buffer = add_buffer(
            builder, TNI_BUFFER_ARENA, 0, place, value->size, place == TNI_PLACE_HOST ? 0 : step,
            place == TNI_PLACE_HOST ? end : value->at[place].last_use);
    }
}

static void assign_steps(tni_plan_builder *builder) {
    const tni_plan *plan = builder->plan;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        tni_step *step = &plan->steps[i];
        for (uint32_t j = 0; j < step->call.output_count; j++) {
            tni_plan_value *value = &builder->values[step->node][j];
            if (value->is_given) {
                continue;
            }
            if (value->is_sparse) {
                value->at[step->place].buffer =
                    add_buffer(builder, TNI_BUFFER_SPARSE, builder->plan->sparse_count++,
                               step->place, 0, i, i);
            } else if (!share_copy(builder, step, j) && !share_in_place(builder, i, j)) {
                const bool crosses_from_host =
                    step->place == TNI_PLACE_HOST && value->is_used[TNI_PLACE_DEVICE];
                value->at[step->place].buffer = add_buffer(
                    builder, TNI_BUFFER_ARENA, 0, step->place, value->size,
                    crosses_from_host ? 0 : i,
                    crosses_from_host ? plan->step_count : value->at[step->place].last_use);
            }
            assign_other_place(builder, value, i);
        }
    }
}

/* The first output in a buffer of the device's arena makes the buffer the caller's memory; others
 * that share it, and those in inputs, parameters or the other place, are copied when all has run.
 */
static tn_status assign_graph_outputs(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    plan->output_copies =
        tni_arena_allocate(&plan->memory, plan->output_count, sizeof(tni_output_copy));
    if (plan->output_copies == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < plan->output_count; i++) {
        const tni_plan_value *value = tni_plan_value_of(builder, builder->outputs[i]);
        const tni_replica *replica = &value->at[value->home];
        if (value->is_given) {
            continue;
        }
        tni_plan_buffer *buffer = &builder->buffers[replica->buffer];
        const bool is_own = buffer->kind == TNI_BUFFER_ARENA || buffer->kind == TNI_BUFFER_SPARSE;
        if (is_own && value->home == TNI_PLACE_DEVICE) {
            buffer->kind = TNI_BUFFER_OUTPUT;
            buffer->index = i;
        } else {
            plan->output_copies[plan->output_copy_count++] =
                (tni_output_copy){replica->view, i, value->is_sparse, value->size};
        }
    }
    return TN_OK;
}

static tn_status make_borders(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    plan->input_borders = tni_arena_allocate(&plan->memory, plan->input_count, sizeof(tni_border));
    plan->output_borders =
        tni_arena_allocate(&plan->memory, plan->output_count, sizeof(tni_border));
    if (plan->input_borders == NULL || plan->output_borders == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < builder->buffer_count; i++) {
        const tni_plan_buffer *buffer = &builder->buffers[i];
        tni_border *border = buffer->kind == TNI_BUFFER_INPUT ? &plan->input_borders[buffer->index]
                             : buffer->kind == TNI_BUFFER_OUTPUT
                                 ? &plan->output_borders[buffer->index]
                                 : NULL;
        if (border != NULL && buffer->place == TNI_PLACE_DEVICE) {
            border->size = buffer->plan.size;
            border->is_used = true;
        }
    }
    return TN_OK;
}

/* Kernels see the elements of parameters when they prepare, and keep their addresses. On the CPU
 * beside another device a parameter is the graph's own tensor, in host memory. */
static void set_parameter_address(const tni_plan_builder *builder, const tni_replica *replica) {
    const tni_plan_buffer *buffer = &builder->buffers[replica->buffer];
    const tn_tensor *tensor = NULL;
    if (replica->view != NULL && buffer->kind == TNI_BUFFER_PARAMETER) {
        const bool is_sparse = builder->values[buffer->index]->is_sparse;
        tensor = buffer->place == TNI_PLACE_HOST && !is_sparse
                     ? tni_plan_node(builder->plan, buffer->index)->parameter
                     : builder->desc->parameters[buffer->index];
    } else if (replica->view != NULL && buffer->kind == TNI_BUFFER_CONSTANT) {
        tensor = builder->plan->constants[buffer->index].at[buffer->place];
    }
    if (tensor == NULL) {
        return;
    }
    const tn_view *view = tn_tensor_view(tensor);
    replica->view->data = view->data;
    replica->view->byte_offset = view->byte_offset;
}

/* Not of variables alone: a node that only copies (a reshape) may share a parameter's memory. */
static tn_status set_parameter_addresses(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        for (uint32_t j = 0; j < tni_plan_node(builder->plan, number)->output_count; j++) {
            for (uint32_t place = 0; place < TNI_PLACE_COUNT; place++) {
                set_parameter_address(builder, &builder->values[number][j].at[place]);
            }
        }
    }
    return TN_OK;
}

static uint32_t count_values(const tni_plan_builder *builder) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < builder->order_count; i++) {
        count += tni_plan_node(builder->plan, builder->order[i])->output_count;
    }
    return count;
}

tn_status tni_plan_assign_buffers(tni_plan_builder *builder) {
    tni_arena *scratch = &builder->scratch;
    const uint32_t steps = builder->plan->step_count;
    const size_t most = (size_t)count_values(builder) * TNI_PLACE_COUNT + steps;
    builder->buffers = tni_arena_allocate(scratch, most, sizeof(tni_plan_buffer));
    builder->workspaces = tni_arena_allocate(scratch, steps, sizeof(uint32_t));
    if (builder->buffers == NULL || builder->workspaces == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    find_last_uses(builder);
    assign_variables(builder);
    assign_steps(builder);
    TNI_TRY(assign_graph_outputs(builder));
    TNI_TRY(make_borders(builder));
    return set_parameter_addresses(builder);
}
