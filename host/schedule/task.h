/*
 * The inside of the scheduler. One lock guards all of it; no code of a plugin or a user runs while
 * it is held. Functions that say [locked] are called with it.
 *
 * A task has a *use* of each resource it names. The uses of a resource form a queue in push order.
 * A use is *granted* when nothing before it in the queue is in its way any more; a task whose uses
 * are all granted is ready, goes to the queue of its lane, runs, and *ends*: its uses leave their
 * queues, and others are granted.
 *
 * A task that queues device work may go *early*: when what is in its way is itself device work of
 * the same backend that is queued already, the device can keep the order. Such a task ends when its
 * ticket is complete and its uses are granted.
 */
#ifndef TENON_SCHEDULE_TASK_H
#define TENON_SCHEDULE_TASK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "device/device.h"
#include "schedule/schedule.h"

typedef struct tn_completion tni_task;
typedef struct tni_lane tni_lane;

/* Why a task failed. Counted, since it travels. */
typedef struct tni_task_error {
    atomic_uint references;
    tn_status status;
    bool is_told; /* somebody who waited was given it; under the scheduler's lock */
    char text[];
} tni_task_error;

/* A text is copied; NULL takes this thread's. Never NULL: without memory, a general one. */
tni_task_error *tni_task_error_make(tni_scheduler *scheduler, const tni_task *task,
                                    tn_status status, const char *text);
/* Both accept NULL. */
tni_task_error *tni_task_error_retain(tni_task_error *error);
void tni_task_error_release(tni_task_error *error);

typedef struct tni_use {
    tni_task *task;
    tn_resource *resource;
    struct tni_use *previous, *next; /* in the resource's queue */
    struct tni_use *next_of_task;
    bool is_write;
    bool is_granted;
    bool is_early; /* what is in the way is queued on the device */
} tni_use;

struct tn_resource {
    tni_storage_link link; /* the storage that it stands for holds one count */
    atomic_uint references;
    tni_scheduler *scheduler;
    /* Under the scheduler's lock: */
    tni_use *first, *last;
    tni_use *waiting;     /* the first that is not granted */
    tni_use *last_writer; /* of those in the queue */
    uint32_t active;      /* granted uses */
    bool is_written;      /* the granted use is a write */
    uint64_t stamp;       /* sequence of the task that was linked last */
    tni_task_error *error;
};

typedef enum tni_task_kind {
    TNI_TASK_RUN,
    TNI_TASK_START,
    TNI_TASK_QUEUE,
    TNI_TASK_WAITER /* a thread that waits for a resource; it lies on that thread's stack */
} tni_task_kind;

typedef enum tni_task_state {
    TNI_STATE_FREE,
    TNI_STATE_PENDING,   /* in the way of others or ready, but not begun */
    TNI_STATE_BEGUN,     /* its function was called or is passed over */
    TNI_STATE_QUEUED,    /* device work on the lane's stream, not submitted */
    TNI_STATE_SUBMITTED, /* device work with a ticket */
    TNI_STATE_DONE       /* nothing left to do but to end */
} tni_task_state;

enum { TNI_TASK_NAME_SIZE = 48 };

struct tn_completion {
    tni_scheduler *scheduler;
    tni_task *next;            /* in a list: ready, unsubmitted, in flight, ending, free */
    tni_task *child, *sibling; /* in a heap of ready tasks */
    tni_use *uses;
    tni_lane *lane; /* NULL: the workers */
    union {
        tn_status (*run)(void *context);
        void (*start)(void *context, tn_completion *completion);
        tn_status (*queue)(void *context, tn_stream *stream);
        struct tni_waiter *waiter;
    } body;
    void (*release)(void *context);
    void *context;
    tni_task_group *group;
    tni_task_error *error; /* its own, or the one taken over */
    uint64_t sequence;     /* counts pushes, from 1 on */
    uint64_t ticket;
    uint32_t blocked;   /* uses neither granted nor early */
    uint32_t ungranted; /* uses not granted */
    int32_t priority;
    uint8_t kind;   /* tni_task_kind */
    uint8_t state;  /* tni_task_state */
    uint8_t pusher; /* which of the ready queue's rows it goes to */
    char name[TNI_TASK_NAME_SIZE];
};

/* Ready tasks: by priority; those of priority 0 in turn from each pushing thread's row. */
enum { TNI_READY_ROWS = 16 };

typedef struct tni_ready {
    tni_task *first[TNI_READY_ROWS], *last[TNI_READY_ROWS];
    uint32_t filled; /* bit by row */
    uint32_t turn;   /* the row to begin with */
    tni_task *heap;  /* those of another priority */
    atomic_uint count;
} tni_ready;

void tni_ready_add(tni_ready *ready, tni_task *task);
/* NULL when there is none. */
tni_task *tni_ready_take(tni_ready *ready);

/* A thread that waits for something. */
typedef struct tni_waiter {
    pthread_cond_t condition;
    bool is_done;
} tni_waiter;

/* A thread that waits for all tasks pushed so far. */
typedef struct tni_drain {
    tni_waiter waiter;
    struct tni_drain *next;
    uint64_t sequence; /* of the last task that counts */
    uint64_t pending;
} tni_drain;

/* One device and kind of work: a stream, the thread that queues on it, and the thread that waits
 * for its tickets. A lane without work gives its device back and is there for any other. */
struct tni_lane {
    tni_scheduler *scheduler;
    tn_device *device; /* NULL: bound to none, or the host's */
    bool is_bound;
    bool is_copy;
    bool drop;       /* give the device back as soon as there is nothing to do */
    uint32_t number; /* in the scheduler's list */
    uint64_t users;  /* tasks that are not done, and lanes that look at its stream */
    tn_stream *stream;
    tni_ready ready;
    tni_task *unsubmitted, **unsubmitted_last;
    uint32_t unsubmitted_count;
    tni_task *in_flight, **in_flight_last;
    pthread_cond_t work, flight;
    pthread_t thread, watch;
    bool has_watch;
};

enum { TNI_MAX_LANES = 64 };

struct tni_scheduler {
    tn_runtime *runtime;
    pthread_mutex_t lock;
    _Atomic(char *) mark; /* a byte that is 1, and 0 in a forked child; NULL before any thread */
    bool is_stopping;     /* nothing new is taken, and what has not begun is cancelled */
    bool is_over;         /* no task is left: the threads may go */
    uint64_t sequence;
    uint64_t pending;      /* tasks that have not ended */
    tni_task_error *error; /* for tn_task_wait_all */
    tni_task_error *no_memory;
    tni_drain *drains;

    tni_task *ending, **ending_last; /* being ended; a list, so that chains do not recurse */
    bool is_ending;

    tni_task *free_tasks;
    tni_use *free_uses;
    uint64_t free_task_count, free_use_count;
    struct tni_slab *slabs;

    tni_ready ready;
    pthread_cond_t work;    /* for workers without any */
    pthread_cond_t surplus; /* for workers beyond the number that may run */
    pthread_cond_t unbound; /* a lane gave its device back */
    pthread_cond_t left;    /* the last visitor is about to leave */
    uint32_t visitors;      /* threads that wait for something */
    uint32_t wanted;        /* workers that run at a time */
    uint32_t worker_count;  /* threads */
    uint32_t blocked;       /* of them, those whose task waits */
    uint32_t surplus_count; /* of them, those parked */
    uint32_t idle, waking;  /* in `work`; of them, those that were signalled */
    uint32_t spinning;
    pthread_t *workers;
    uint32_t worker_capacity;

    tni_lane *lanes[TNI_MAX_LANES];
    uint32_t lane_count;
};

/* What this thread is doing. */
typedef struct tni_current {
    tni_scheduler *scheduler; /* whose thread it is; NULL: of none */
    tni_task *task;           /* NULL: none */
    uint64_t sequence;        /* of the task, which may be another's by now */
    uint8_t pusher;
    bool is_lane;
} tni_current;

extern _Thread_local tni_current tni_current_work;

void tni_lock(tni_scheduler *scheduler);
/* Wakes a worker when there is work for one. */
void tni_unlock(tni_scheduler *scheduler);
/* The same for a thread behind whose back the scheduler may be destroyed as soon as the lock is
 * free: nothing is touched afterwards. */
void tni_leave(tni_scheduler *scheduler);
/* [locked] Sleeps on a condition; like tni_unlock, it leaves no work without a worker. False when
 * the deadline (NULL: none) has passed. */
bool tni_sleep(tni_scheduler *scheduler, pthread_cond_t *condition,
               const struct timespec *deadline);
/* FAILED_PRECONDITION in a forked child. Before any lock. */
tn_status tni_scheduler_check(const tni_scheduler *scheduler);
/* [locked] Before the first thread starts. */
tn_status tni_scheduler_mark(tni_scheduler *scheduler);

/* dependency.c */

/* [locked] Appends a use to the resource's queue, and grants it when nothing is in its way. */
void tni_use_link(tni_use *use, tni_task *task, tn_resource *resource, bool is_write);
/* [locked] Takes an ungranted use out again. */
void tni_use_withdraw(tni_use *use);
/* [locked] All uses are linked: lets the task go, early where the device keeps the order. */
void tni_task_linked(tni_task *task);
/* [locked] The task is done and released: its uses leave their queues and its record is free. */
void tni_task_end(tni_task *task);
/* [locked] The task's device work is queued or submitted: others may go early. */
void tni_task_open_followers(tni_task *task);
/* [locked] Calls `visit` for each task in the way of the task's ungranted uses. */
void tni_task_visit_obstacles(const tni_task *task,
                              void (*visit)(void *context, const tni_task *obstacle),
                              void *context);

/* task_pool.c */

/* [locked] Makes sure that so many are free; the lock may be let go meanwhile. */
tn_status tni_task_pool_reserve(tni_scheduler *scheduler, uint64_t tasks, uint64_t uses);
tni_task *tni_task_pool_take(tni_scheduler *scheduler);
tni_use *tni_task_pool_take_use(tni_scheduler *scheduler);
void tni_task_pool_give(tni_task *task);
void tni_task_pool_give_use(tni_scheduler *scheduler, tni_use *use);
void tni_task_pool_finish(tni_scheduler *scheduler);

/* worker.c */

/* [locked] Starts the workers, once. */
tn_status tni_workers_start(tni_scheduler *scheduler);
void tni_workers_finish(tni_scheduler *scheduler);
/* [locked] Around the waiting of a thread: another worker runs while one waits. */
void tni_worker_block(tni_scheduler *scheduler);
void tni_worker_unblock(tni_scheduler *scheduler);
/* Starts a thread with all signals blocked. */
tn_status tni_thread_start(pthread_t *thread, void *(*main)(void *context), void *context,
                           const char *name);
/* [locked, and again at return] Does a task that is no device work, or passes over it. */
void tni_task_do(tni_task *task);
/* [locked, and again at return] Calls the task's release. */
void tni_task_release_context(tni_task *task);
/* [locked] Takes an error over (NULL: none) as the task's own. */
void tni_task_fail(tni_task *task, tni_task_error *error);
/* [locked] Whether the task must be passed over; it has an error then. */
bool tni_task_is_void(tni_task *task);

/* lane.c */

/* [locked] The lane for such tasks, made or bound now when need be. */
tn_status tni_lane_find(tni_scheduler *scheduler, tn_device *device, bool is_copy,
                        tni_lane **out_lane);
/* Ends every lane; no task is left. */
void tni_lanes_finish(tni_scheduler *scheduler);

/* lane_watch.c */

/* [locked, and again at return] Hands what the lane has queued to the device. */
void tni_lane_submit(tni_lane *lane);
void *tni_lane_watch(void *context);
/* [locked, and again at return] Releases a task with device work that is complete or never was, and
 * ends it as soon as its uses are granted. */
void tni_lane_end_task(tni_task *task);

/* wait.c */

void tni_waiter_init(tni_waiter *waiter);
/* [locked] */
void tni_waiter_wake(tni_waiter *waiter);
/* Now and `nanoseconds` more. False: for ever, or as good as. */
bool tni_deadline(uint64_t nanoseconds, struct timespec *out_deadline);
/* [locked, and again at return] Waits for all tasks pushed so far. */
void tni_scheduler_drain(tni_scheduler *scheduler);
/* A condition whose clock is that of tni_deadline. */
void tni_condition_init(pthread_cond_t *condition);

#endif
