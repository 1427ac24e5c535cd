/*
 * Segments as tasks: where the device and the CPU can work at the same time, each segment is a task
 * that follows those it hears from. The tasks of the device run on its own thread, which alone uses
 * the plan's stream meanwhile; those of the CPU on the workers, which two sessions share.
 */
#include <stdio.h>

#include "base/error.h"
#include "run/plan.h"
#include "schedule/schedule.h"

typedef struct segment_task {
    tni_plan *plan;
    tni_segment *segment;
    char name[32];
} segment_task;

typedef struct tni_segment_tasks {
    tni_scheduler *scheduler;
    tni_task_group group;
    segment_task *contexts;
    tn_task *tasks;
    const tn_task **list;
    tn_resource **resources; /* a segment's own: it writes it, and those after it read it */
} tni_segment_tasks;

static tn_status run_task(void *context) {
    const segment_task *task = context;
    return tni_plan_run_segment(task->plan, task->segment);
}

/* With each segment after the one before it there is nothing to gain. */
static bool has_branches(const tni_plan *plan) {
    for (uint32_t i = 1; i < plan->segment_count; i++) {
        const tni_segment *segment = &plan->segments[i];
        bool follows = false;
        for (uint32_t j = 0; j < segment->after_count; j++) {
            follows = follows || segment->after[j] == i - 1;
        }
        if (!follows) {
            return true;
        }
    }
    return false;
}

static tn_status fill_task(tni_plan *plan, tni_segment_tasks *made, uint32_t number) {
    tni_segment *segment = &plan->segments[number];
    segment_task *context = &made->contexts[number];
    tn_resource **reads =
        tni_arena_allocate(&plan->memory, segment->after_count, sizeof(tn_resource *));
    if (reads == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < segment->after_count; i++) {
        reads[i] = made->resources[segment->after[i]];
    }
    context->plan = plan;
    context->segment = segment;
    snprintf(context->name, sizeof context->name, "segment %u", number);
    made->tasks[number] = (tn_task){
        .struct_size = TN_TASK_SIZE,
        .read_count = segment->after_count,
        .write_count = 1,
        .name = context->name,
        .reads = reads,
        .writes = &made->resources[number],
        .device = segment->place == TNI_PLACE_DEVICE ? plan->places[TNI_PLACE_DEVICE].device : NULL,
        .run = run_task,
        .context = context};
    made->list[number] = &made->tasks[number];
    return TN_OK;
}

tn_status tni_segment_tasks_create(tni_plan *plan) {
    if (!has_branches(plan)) {
        return TN_OK;
    }
    tni_arena *memory = &plan->memory;
    const uint32_t count = plan->segment_count;
    tni_segment_tasks *made = tni_arena_allocate(memory, 1, sizeof *made);
    if (made == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    made->scheduler = tni_scheduler_of(plan->graph->runtime);
    made->contexts = tni_arena_allocate(memory, count, sizeof(segment_task));
    made->tasks = tni_arena_allocate(memory, count, sizeof(tn_task));
    made->list = tni_arena_allocate(memory, count, sizeof(tn_task *));
    made->resources = tni_arena_allocate(memory, count, sizeof(tn_resource *));
    if (made->scheduler == NULL || made->contexts == NULL || made->tasks == NULL ||
        made->list == NULL || made->resources == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    plan->tasks = made;
    for (uint32_t i = 0; i < count; i++) {
        TNI_TRY(tn_resource_create(plan->graph->runtime, &made->resources[i]));
        TNI_TRY(fill_task(plan, made, i));
    }
    return TN_OK;
}

void tni_segment_tasks_destroy(tni_plan *plan) {
    for (uint32_t i = 0; plan->tasks != NULL && i < plan->segment_count; i++) {
        tn_resource_release(plan->tasks->resources[i]);
    }
}

tn_status tni_segment_tasks_run(tni_plan *plan) {
    tni_segment_tasks *tasks = plan->tasks;
    TNI_TRY(tni_task_push(tasks->scheduler, tasks->list, plan->segment_count, &tasks->group));
    const tn_status status = tni_task_group_wait(tasks->scheduler, &tasks->group, TN_WAIT_FOREVER);
    for (uint32_t i = 0; status != TN_OK && i < plan->segment_count; i++) {
        tn_resource_clear(tasks->resources[i]); /* keeps this thread's error text: it cannot fail */
    }
    return status;
}
