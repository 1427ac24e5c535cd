/* Who goes first: priorities, and threads that push at the same time. */
#include "schedule_fixture.h"

static void set_up_one(void) {
    set_up_threads(1);
}

TestSuite(schedule_ready, .init = set_up_one, .fini = tear_down, .timeout = 60);

/* Holds the one worker until the gate opens. */
static void hold_worker(step *holder, gate *hold, gate *arrived) {
    holder->number = -1;
    holder->gate = hold;
    holder->arrival = arrived;
    push_step(holder, NULL, NULL);
    gate_pass(arrived);
}

Test(schedule_ready, the_higher_priority_goes_first) {
    static const int32_t priorities[] = {0, -5, 3, 0, 100, 3, INT32_MIN, -5, INT32_MAX, 0};
    static const int expected[] = {8, 4, 2, 5, 0, 3, 9, 1, 7, 6};
    gate hold = GATE_CLOSED, arrived = GATE_CLOSED;
    step holder = {0}, steps[10] = {{0}};
    hold_worker(&holder, &hold, &arrived);
    for (int i = 0; i < 10; i++) {
        steps[i].number = i;
        tn_task task = describe(&steps[i], NULL, NULL);
        task.priority = priorities[i];
        push(&task);
    }
    gate_open(&hold);
    await_all();
    for (int i = 0; i < 10; i++) {
        cr_assert_eq(step_log.steps[i + 1], expected[i], "place %d: %d", i, step_log.steps[i + 1]);
    }
}

Test(schedule_ready, a_heap_of_random_priorities) {
    enum { COUNT = 3000 };
    static tni_task tasks[COUNT];
    tni_ready ready = {0};
    uint32_t random = 1;
    for (int i = 0; i < COUNT; i++) {
        random = random * 1664525u + 1013904223u;
        tasks[i].priority = (int32_t)(random >> 24) - 128;
        tasks[i].sequence = (uint64_t)i;
        tni_ready_add(&ready, &tasks[i]);
        if (i % 3 == 2) { /* taken in between, and put back */
            tni_ready_add(&ready, tni_ready_take(&ready));
        }
    }
    const tni_task *before = NULL;
    for (int i = 0; i < COUNT; i++) {
        const tni_task *task = tni_ready_take(&ready);
        cr_assert_not_null(task);
        if (before != NULL) {
            cr_assert_geq(before->priority, task->priority);
            cr_assert(before->priority != task->priority || task->priority == 0 ||
                      before->sequence < task->sequence);
        }
        before = task;
    }
    cr_assert_null(tni_ready_take(&ready));
    cr_assert_eq(atomic_load(&ready.count), 0);
}

enum { EACH = 500 };

static step of_other[EACH];

static atomic_bool other_pushed;

static void *push_as_other(void *context) {
    if ((long)gettid() % TNI_READY_ROWS == *(long *)context) {
        return NULL; /* it would stand in line behind the first */
    }
    atomic_store(&other_pushed, true);
    for (int i = 0; i < EACH; i++) {
        of_other[i].number = 10000 + i;
        push_step(&of_other[i], NULL, NULL);
    }
    return NULL;
}

/* The second thread begins after the first has pushed all of its own. */
Test(schedule_ready, threads_that_push_share_the_workers) {
    gate hold = GATE_CLOSED, arrived = GATE_CLOSED;
    static step holder, mine[EACH];
    pthread_t other;
    hold_worker(&holder, &hold, &arrived);
    for (int i = 0; i < EACH; i++) {
        mine[i].number = i;
        push_step(&mine[i], NULL, NULL);
    }
    long row = (long)gettid() % TNI_READY_ROWS;
    while (!atomic_load(&other_pushed)) {
        pthread_create(&other, NULL, push_as_other, &row);
        pthread_join(other, NULL);
    }
    gate_open(&hold);
    await_all();
    int own[2] = {0, 0};
    for (int i = 1; i <= 2 * EACH; i++) {
        const int who = step_log.steps[i] >= 10000;
        cr_assert_eq(step_log.steps[i] % 10000, own[who]++, "each in its own order");
        cr_assert_leq(abs(own[0] - own[1]), 1, "in turn");
    }
}

Test(schedule_ready, the_threads_sleep_when_there_is_nothing_to_do) {
    step one = {0};
    push_step(&one, NULL, NULL);
    await_all();
    struct timespec before, after;
    usleep(20000);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    usleep(300000);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const double used =
        (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
    cr_assert_lt(used, 0.02);
}
