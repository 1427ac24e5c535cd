/* The last stage of a plan: addresses into the views, and the flat array of instructions. */
#include "base/error.h"
#include "run/plan_build.h"

static void place_value(tni_plan_builder *builder, const tni_plan_value *value) {
    tni_plan *plan = builder->plan;
    const tni_plan_buffer *buffer = &builder->buffers[value->buffer];
    switch (buffer->kind) {
    case TNI_BUFFER_ARENA:
        value->view->data = plan->buffer;
        value->view->byte_offset = buffer->plan.offset;
        break;
    case TNI_BUFFER_INPUT:
        plan->input_patches[plan->input_patch_count++] = (tni_patch){value->view, buffer->index};
        break;
    case TNI_BUFFER_OUTPUT:
        plan->output_patches[plan->output_patch_count++] = (tni_patch){value->view, buffer->index};
        break;
    case TNI_BUFFER_PARAMETER: break; /* set before the kernels prepared */
    }
}

static void place_values(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        for (uint32_t j = 0; j < builder->graph->nodes[number]->output_count; j++) {
            place_value(builder, &builder->values[number][j]);
        }
    }
}

static void emit_step(tni_plan_builder *builder, uint32_t number) {
    tni_plan *plan = builder->plan;
    tni_step *step = &plan->steps[number];
    const tn_kernel *kernel = step->kernel->entry->impl;
    if (step->is_elided) {
        plan->info.elided_count++;
        return;
    }
    if (step->workspace_size > 0) {
        step->call.workspace = plan->buffer;
        step->call.workspace_offset = builder->buffers[builder->workspaces[number]].plan.offset;
        if (plan->device->flags & TN_DEVICE_HOST_ADDRESSABLE) {
            /* On the CPU the address itself: there is nothing to add to. */
            step->call.workspace = (char *)plan->buffer + step->call.workspace_offset;
            step->call.workspace_offset = 0;
        }
    }
    plan->step_of_instruction[plan->instruction_count] = number;
    plan->instructions[plan->instruction_count++] = (tni_instruction){kernel->run, &step->call};
}

tn_status tni_plan_emit(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    uint32_t values = 0;
    for (uint32_t i = 0; i < builder->order_count; i++) {
        values += builder->graph->nodes[builder->order[i]]->output_count;
    }
    tni_arena *memory = &plan->memory;
    plan->input_patches = tni_arena_allocate(memory, values, sizeof(tni_patch));
    plan->output_patches = tni_arena_allocate(memory, values, sizeof(tni_patch));
    plan->instructions = tni_arena_allocate(memory, plan->step_count, sizeof(tni_instruction));
    plan->step_of_instruction = tni_arena_allocate(memory, plan->step_count, sizeof(uint32_t));
    if (plan->input_patches == NULL || plan->output_patches == NULL || plan->instructions == NULL ||
        plan->step_of_instruction == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    place_values(builder);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        emit_step(builder, i);
    }
    plan->info.instruction_count = plan->instruction_count;
    return TN_OK;
}
