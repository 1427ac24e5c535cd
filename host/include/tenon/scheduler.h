/*
 * The scheduler: tasks that run on the runtime's own threads and on device streams, in an order
 * that follows from what they read and write.
 *
 * A *resource* stands for anything that tasks share: a tensor's memory, a file, a model. A task
 * names the resources it reads and those it writes. Tasks on one resource take effect in the order
 * they were pushed: many readers at a time or one writer. Tasks that share nothing run in any
 * order, and at the same time where there are threads.
 *
 * A task that fails *poisons* what it writes. A task that reads or writes something poisoned does
 * not run; it passes the error on to what it writes. Whoever waits for a resource is given the
 * error, with the name of the task that failed in front, and the resource is clean again.
 *
 * The threads start at the first push and sleep when there is nothing to do. When the runtime is
 * destroyed, tasks that have not started are cancelled, and those that run are waited for.
 *
 * After a fork the threads are the parent's: in the child every call here that needs them fails
 * with FAILED_PRECONDITION.
 *
 * A group of tasks is pushed at once with tn_task_push_many; there is no bulk size to set, since
 * tasks are not merged.
 */
#ifndef TENON_SCHEDULER_H
#define TENON_SCHEDULER_H

#include <tenon/device.h>
#include <tenon/tensor.h>

/* Waits for as long as it takes. */
#define TN_WAIT_FOREVER UINT64_MAX

/* What tasks read and write. Counted: pending tasks hold counts of their own. */
typedef struct tn_resource tn_resource;

/* A resource that stands for whatever the caller means by it. */
TN_API tn_status tn_resource_create(tn_runtime *runtime, tn_resource **out_resource);

/* The resource of a tensor's memory, the same for all tensors that share it, with one more count
 * for the caller. It does not keep the memory: a task that uses a tensor needs a count on it. */
TN_API tn_status tn_tensor_resource(tn_tensor *tensor, tn_resource **out_resource);

TN_API void tn_resource_retain(tn_resource *resource);
TN_API void tn_resource_release(tn_resource *resource);

/* Waits until the resource may be read (`access` is TN_ACCESS_READ: all writes pushed so far are
 * done) or written (TN_ACCESS_WRITE: all reads pushed so far are done, too). Device work is waited
 * for to its end. If the resource is poisoned, fails with the status and the text of the task that
 * failed, and the resource is clean then.
 *
 * Errors: TIMEOUT after `timeout_ns` (0 only asks); FAILED_PRECONDITION in a forked child, and in a
 * task that would wait for itself or runs on a device's or the copying thread.
 * Threads: any. A task on a worker may wait: another worker takes its place meanwhile. */
TN_API tn_status tn_resource_wait(tn_resource *resource, uint32_t access, uint64_t timeout_ns);

/* Makes a poisoned resource clean without waiting. Tasks that have taken the error already keep it.
 */
TN_API tn_status tn_resource_clear(tn_resource *resource);

/* What an asynchronous task completes. */
typedef struct tn_completion tn_completion;

/* The task leaves the workers alone: it runs on a thread (for a device: with a stream) of its own
 * kind, beside the computing. For what mostly moves memory or waits. */
#define TN_TASK_COPY 1u

/*
 * A task, as it is described to tn_task_push, which copies the description: it and its arrays may
 * go when the call returns.
 *
 * Exactly one of `run`, `start` and `queue` is given:
 *   run    does all of the work; the task is done when it returns.
 *   start  begins the work; the task is done when somebody calls tn_task_complete, now or later,
 *          from any thread, exactly once.
 *   queue  queues work on `stream`, which belongs to `device`. The host submits it and the task is
 *          done when the device is; tasks that follow on the same backend are ordered on the
 * device, without a thread that waits. Needs `device`.
 *
 * [worker] for all three and `release`; no lock is held while they run.
 */
typedef struct tn_task {
    uint32_t struct_size; /* TN_TASK_SIZE */
    int32_t priority;     /* the higher one goes first, among those that are ready; 0 is normal */
    uint32_t flags;       /* TN_TASK_… */
    uint32_t read_count;
    uint32_t write_count;
    uint32_t reserved;
    const char *name;          /* for messages; copied, cut after 47 bytes; NULL: "task" */
    tn_resource *const *reads; /* what is named twice counts once; in both lists, it is written */
    tn_resource *const *writes;
    tn_device *device; /* NULL: the workers. Else `run` and `start` run on the device's thread. */
    tn_status (*run)(void *context);
    void (*start)(void *context, tn_completion *completion);
    tn_status (*queue)(void *context, tn_stream *stream);
    /* May be NULL. Called exactly once, whatever happens: after the work, when the task was not run
     * because of an error, when it is cancelled, and also when the push fails. Whoever waits for
     * the task wakes after it. */
    void (*release)(void *context);
    void *context;
} tn_task;

#define TN_TASK_SIZE TN_STRUCT_END(tn_task, context)

/* Hands a task to the scheduler.
 *
 * Errors: INVALID_ARGUMENT for a description that makes no sense; FAILED_PRECONDITION in a forked
 * child and while the runtime is destroyed; OUT_OF_MEMORY; UNAVAILABLE when no thread can be had.
 * Threads: any, also inside a task. Threads that push much share the workers evenly. */
TN_API tn_status tn_task_push(tn_runtime *runtime, const tn_task *task);

/* The same for many, in order, all or none, at less cost for each. */
TN_API tn_status tn_task_push_many(tn_runtime *runtime, const tn_task *const *tasks,
                                   uint32_t count);

/* Ends an asynchronous task. For a failure, `message` (may be NULL) says why; it is copied.
 *
 * Errors: FAILED_PRECONDITION when the task is complete already, as far as that can be told: the
 * pointer is worth nothing after the call. */
TN_API tn_status tn_task_complete(tn_completion *completion, tn_status status, const char *message);

/* Waits for every task pushed so far, by any thread. Fails with the error of the first task that
 * failed and that nobody was told of yet; resources stay poisoned.
 *
 * Errors: TIMEOUT after `timeout_ns`; FAILED_PRECONDITION in a forked child and inside a task. */
TN_API tn_status tn_task_wait_all(tn_runtime *runtime, uint64_t timeout_ns);

/* For the `queue` function of a task. */

/* The stream's device, borrowed. */
TN_API tn_device *tn_stream_device(tn_stream *stream);

/* [serial] Queues a copy of all elements. Dtypes and element counts must be equal, the tensors must
 * not share memory, and each lies on the stream's device or in host memory, one at least on the
 * device. Host tensors must live until the task is done, pinned ones too; the device's own may be
 * released before, as their memory is kept for the copy. */
TN_API tn_status tn_stream_copy(tn_stream *stream, const tn_tensor *source, tn_tensor *target);

#endif
