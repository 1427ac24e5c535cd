/* The last stage of a plan: addresses into the views, and the flat array of instructions. */
#include "base/error.h"
#include "run/plan_build.h"
#include "tensor/sparse.h"

/* On the CPU the address itself, so that nothing is left to add; elsewhere handle and offset. */
static void set_address(const tni_place *place, uint64_t offset, void **out_data,
                        uint64_t *out_offset) {
    const bool is_address = place->stream == NULL;
    *out_data = is_address ? (char *)place->buffer + offset : place->buffer;
    *out_offset = is_address ? 0 : offset;
}

static void place_replica(tni_plan_builder *builder, const tni_replica *replica) {
    tni_plan *plan = builder->plan;
    const tni_plan_buffer *buffer = &builder->buffers[replica->buffer];
    switch (buffer->kind) {
    case TNI_BUFFER_ARENA:
        set_address(&plan->places[buffer->place], buffer->plan.offset, &replica->view->data,
                    &replica->view->byte_offset);
        break;
    case TNI_BUFFER_INPUT:
        if (buffer->place == TNI_PLACE_HOST) {
            plan->sparse_patches[plan->sparse_patch_count++] =
                (tni_patch){replica->view, buffer->index};
        } else {
            plan->input_patches[plan->input_patch_count++] =
                (tni_patch){replica->view, buffer->index};
        }
        break;
    case TNI_BUFFER_OUTPUT:
        plan->output_patches[plan->output_patch_count++] =
            (tni_patch){replica->view, buffer->index};
        break;
    case TNI_BUFFER_CONSTANT:
    case TNI_BUFFER_PARAMETER: break; /* set before the kernels prepared */
    case TNI_BUFFER_SPARSE: replica->view->data = plan->sparse[buffer->index]; break;
    }
}

/* The content of sparse values that are not the caller's. */
static tn_status make_sparse(tni_plan_builder *builder, uint32_t number, uint32_t output) {
    tni_plan *plan = builder->plan;
    const tni_plan_value *value = &builder->values[number][output];
    const tn_tensor_type *type = tni_plan_type_of(builder, (tn_value){number, output});
    if (!value->is_sparse || value->at[value->home].view == NULL) {
        return TN_OK;
    }
    const tni_plan_buffer *buffer = &builder->buffers[value->at[value->home].buffer];
    if (buffer->kind != TNI_BUFFER_SPARSE) {
        return TN_OK;
    }
    return tni_sparse_create(type->storage, type->dtype, type->shape.rank, type->shape.extents,
                             &plan->sparse[buffer->index]);
}

static tn_status make_sparse_values(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    plan->sparse = tni_arena_allocate(&plan->memory, plan->sparse_count, sizeof(tni_sparse *));
    if (plan->sparse == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        for (uint32_t j = 0; j < tni_plan_node(plan, number)->output_count; j++) {
            TNI_TRY(make_sparse(builder, number, j));
        }
    }
    return TN_OK;
}

static void place_values(tni_plan_builder *builder) {
    for (uint32_t i = 0; i < builder->order_count; i++) {
        const uint32_t number = builder->order[i];
        for (uint32_t j = 0; j < tni_plan_node(builder->plan, number)->output_count; j++) {
            for (uint32_t place = 0; place < TNI_PLACE_COUNT; place++) {
                if (builder->values[number][j].at[place].view != NULL) {
                    place_replica(builder, &builder->values[number][j].at[place]);
                }
            }
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
        set_address(&plan->places[step->place],
                    builder->buffers[builder->workspaces[number]].plan.offset,
                    &step->call.workspace, &step->call.workspace_offset);
    }
    plan->segments[step->segment].instruction_count++;
    plan->step_of_instruction[plan->instruction_count] = number;
    plan->instructions[plan->instruction_count++] =
        (tni_instruction){step->makes_sparse ? tni_plan_run_sparse : kernel->run, &step->call};
}

tn_status tni_plan_emit(tni_plan_builder *builder) {
    tni_plan *plan = builder->plan;
    tni_arena *memory = &plan->memory;
    const size_t most = builder->buffer_count + (size_t)builder->order_count * 2;
    size_t values = 0;
    for (uint32_t i = 0; i < builder->order_count; i++) {
        values += tni_plan_node(builder->plan, builder->order[i])->output_count;
    }
    values = values > most ? values : most;
    plan->input_patches = tni_arena_allocate(memory, values, sizeof(tni_patch));
    plan->sparse_patches = tni_arena_allocate(memory, plan->input_count, sizeof(tni_patch));
    plan->output_patches = tni_arena_allocate(memory, values, sizeof(tni_patch));
    plan->instructions = tni_arena_allocate(memory, plan->step_count, sizeof(tni_instruction));
    plan->step_of_instruction = tni_arena_allocate(memory, plan->step_count, sizeof(uint32_t));
    if (plan->input_patches == NULL || plan->sparse_patches == NULL ||
        plan->output_patches == NULL || plan->instructions == NULL ||
        plan->step_of_instruction == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    TNI_TRY(make_sparse_values(builder));
    place_values(builder);
    for (uint32_t i = 0; i < plan->segment_count; i++) {
        tni_segment *segment = &plan->segments[i];
        segment->first_instruction = plan->instruction_count;
        for (uint32_t j = 0; j < segment->step_count; j++) {
            emit_step(builder, segment->first_step + j);
        }
    }
    plan->info.instruction_count = plan->instruction_count;
    return TN_OK;
}
