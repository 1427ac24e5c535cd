/* Where each buffer lies in the arena of its place. */
#include "base/error.h"
#include "run/plan_build.h"

static void measure(tni_plan_builder *builder) {
    tn_plan_info *info = &builder->plan->info;
    for (uint32_t i = 0; i < builder->plan->step_count; i++) {
        const tni_step *step = &builder->plan->steps[i];
        builder->workspaces[i] = builder->buffer_count;
        builder->buffers[builder->buffer_count++] = (tni_plan_buffer){
            TNI_BUFFER_ARENA, 0, step->place, {step->workspace_size, i, i, 0}, false};
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

static tn_status place_arena(tni_plan_builder *builder, uint32_t place) {
    tni_plan *plan = builder->plan;
    const uint32_t count = builder->buffer_count;
    tni_buffer_plan *placed = tni_arena_allocate(&builder->scratch, count, sizeof *placed);
    uint32_t *numbers = tni_arena_allocate(&builder->scratch, count, sizeof *numbers);
    uint32_t used = 0;
    uint64_t size, bound;
    if (placed == NULL || numbers == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        tni_buffer_plan *buffer = &builder->buffers[i].plan;
        if (builder->buffers[i].kind == TNI_BUFFER_ARENA && builder->buffers[i].place == place) {
            numbers[used] = i;
            placed[used++] = *buffer;
        }
    }
    TNI_TRY(tni_memory_plan(placed, used, &size));
    TNI_TRY(tni_memory_lower_bound(placed, used, plan->step_count + 1, &bound));
    for (uint32_t i = 0; i < used; i++) {
        builder->buffers[numbers[i]].plan.offset = placed[i].offset;
    }
    plan->info.arena_size += size;
    plan->info.lower_bound += bound;
    plan->places[place].buffer_size = size == 0 ? TNI_ARENA_ALIGNMENT : size;
    return tni_device_allocate(plan->places[place].device, plan->places[place].buffer_size,
                               &plan->places[place].buffer);
}

tn_status tni_plan_place_buffers(tni_plan_builder *builder) {
    measure(builder);
    for (uint32_t place = 0; place < TNI_PLACE_COUNT; place++) {
        if (builder->plan->places[place].device != NULL) {
            TNI_TRY(place_arena(builder, place));
        }
    }
    return TN_OK;
}
