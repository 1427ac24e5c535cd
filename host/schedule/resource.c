/* Resources and errors: what tasks share, and what travels along it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "schedule/task.h"

static tni_task_error *allocate_error(tn_status status, const char *name, const char *text) {
    static const char format[] = "task '%s': %s";
    const size_t size = sizeof format + strlen(name) + strlen(text);
    tni_task_error *error = tni_allocate(1, sizeof *error + size);
    if (error != NULL) {
        atomic_init(&error->references, 1);
        error->status = status;
        snprintf(error->text, size, format, name, text);
    }
    return error;
}

tni_task_error *tni_task_error_make(tni_scheduler *scheduler, const tni_task *task,
                                    tn_status status, const char *text) {
    const char *reason = text != NULL ? text : tn_error_message();
    const char *name = task != NULL ? task->name : "?";
    tni_task_error *error =
        allocate_error(status, name, reason[0] != '\0' ? reason : tn_status_sentence(status));
    return error != NULL ? error : tni_task_error_retain(scheduler->no_memory);
}

tni_task_error *tni_task_error_retain(tni_task_error *error) {
    if (error != NULL) {
        atomic_fetch_add_explicit(&error->references, 1, memory_order_relaxed);
    }
    return error;
}

void tni_task_error_release(tni_task_error *error) {
    if (error != NULL &&
        atomic_fetch_sub_explicit(&error->references, 1, memory_order_acq_rel) == 1) {
        tni_free(error);
    }
}

static tn_resource *make_resource(tni_scheduler *scheduler) {
    tn_resource *resource = tni_allocate(1, sizeof *resource);
    if (resource != NULL) {
        atomic_init(&resource->references, 1);
        resource->scheduler = scheduler;
    }
    return resource;
}

tn_status tn_resource_create(tn_runtime *runtime, tn_resource **out_resource) {
    if (runtime == NULL || out_resource == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "resource: expected a runtime and a place for it");
    }
    tni_scheduler *scheduler = tni_scheduler_of(runtime);
    tn_resource *resource = scheduler != NULL ? make_resource(scheduler) : NULL;
    if (resource == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    *out_resource = resource;
    return TN_OK;
}

void tn_resource_retain(tn_resource *resource) {
    atomic_fetch_add_explicit(&resource->references, 1, memory_order_relaxed);
}

/* Takes no lock: the last count may be a storage's that outlives the scheduler. Nothing is in the
 * queue then, since each use has a count. */
void tn_resource_release(tn_resource *resource) {
    if (resource != NULL &&
        atomic_fetch_sub_explicit(&resource->references, 1, memory_order_acq_rel) == 1) {
        tni_task_error_release(resource->error);
        tni_free(resource);
    }
}

static void end_link(tni_storage_link *link) {
    tn_resource_release((tn_resource *)link);
}

_Static_assert(offsetof(tn_resource, link) == 0, "a resource is its link");

tn_resource *tni_storage_resource(tni_scheduler *scheduler, tni_storage *storage) {
    tni_storage_link *link = atomic_load_explicit(&storage->link, memory_order_acquire);
    if (link != NULL) {
        return (tn_resource *)link;
    }
    tn_resource *made = make_resource(scheduler);
    if (made == NULL) {
        return NULL;
    }
    made->link.end = end_link;
    if (!atomic_compare_exchange_strong(&storage->link, &link, &made->link)) {
        tni_free(made); /* another thread was faster */
        return (tn_resource *)link;
    }
    return made;
}

tn_status tn_tensor_resource(tn_tensor *tensor, tn_resource **out_resource) {
    if (tensor == NULL || out_resource == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "resource: expected a tensor and a place for it");
    }
    tni_scheduler *scheduler = tni_scheduler_of(tensor->runtime);
    tn_resource *resource =
        scheduler != NULL ? tni_storage_resource(scheduler, tensor->storage) : NULL;
    if (resource == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    tn_resource_retain(resource);
    *out_resource = resource;
    return TN_OK;
}

tn_status tn_resource_clear(tn_resource *resource) {
    if (resource == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "clear: the resource is NULL");
    }
    tni_scheduler *scheduler = resource->scheduler;
    TNI_TRY(tni_in(tni_scheduler_check(scheduler), "clear"));
    tni_lock(scheduler);
    tni_task_error *error = resource->error;
    resource->error = NULL;
    if (error != NULL) {
        error->is_told = true;
    }
    tni_unlock(scheduler);
    tni_task_error_release(error);
    return TN_OK;
}
