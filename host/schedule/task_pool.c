/* Records of tasks and uses: taken from free ones, which are made by the slab and kept. */
#include "base/memory.h"
#include "schedule/task.h"

enum { SLAB_TASKS = 64, SLAB_USES = 256 };

typedef struct tni_slab {
    struct tni_slab *next;
    union {
        tni_task tasks[SLAB_TASKS];
        tni_use uses[SLAB_USES];
    } records;
} tni_slab;

tni_task *tni_task_pool_take(tni_scheduler *scheduler) {
    tni_task *task = scheduler->free_tasks;
    scheduler->free_tasks = task->next;
    scheduler->free_task_count--;
    return task;
}

void tni_task_pool_give(tni_task *task) {
    tni_scheduler *scheduler = task->scheduler;
    task->state = TNI_STATE_FREE;
    task->next = scheduler->free_tasks;
    scheduler->free_tasks = task;
    scheduler->free_task_count++;
}

tni_use *tni_task_pool_take_use(tni_scheduler *scheduler) {
    tni_use *use = scheduler->free_uses;
    scheduler->free_uses = use->next_of_task;
    scheduler->free_use_count--;
    return use;
}

void tni_task_pool_give_use(tni_scheduler *scheduler, tni_use *use) {
    use->next_of_task = scheduler->free_uses;
    scheduler->free_uses = use;
    scheduler->free_use_count++;
}

static void add_slab(tni_scheduler *scheduler, tni_slab *slab, bool of_tasks) {
    slab->next = scheduler->slabs;
    scheduler->slabs = slab;
    for (uint32_t i = 0; of_tasks && i < SLAB_TASKS; i++) {
        slab->records.tasks[i].scheduler = scheduler;
        tni_task_pool_give(&slab->records.tasks[i]);
    }
    for (uint32_t i = 0; !of_tasks && i < SLAB_USES; i++) {
        tni_task_pool_give_use(scheduler, &slab->records.uses[i]);
    }
}

tn_status tni_task_pool_reserve(tni_scheduler *scheduler, uint64_t tasks, uint64_t uses) {
    while (scheduler->free_task_count < tasks || scheduler->free_use_count < uses) {
        tni_unlock(scheduler); /* others may take of it meanwhile: the loop looks again */
        tni_slab *slab = tni_allocate(1, sizeof *slab);
        tni_lock(scheduler);
        if (slab == NULL) {
            return TN_OUT_OF_MEMORY;
        }
        add_slab(scheduler, slab, scheduler->free_task_count < tasks);
    }
    return TN_OK;
}

void tni_task_pool_finish(tni_scheduler *scheduler) {
    while (scheduler->slabs != NULL) {
        tni_slab *next = scheduler->slabs->next;
        tni_free(scheduler->slabs);
        scheduler->slabs = next;
    }
}
