/*
 * Random tasks against a sequential oracle.
 *
 *     test_random_tasks [TASKS [SEED]]
 *
 * Two threads push tasks of every kind over resources of their own: on workers, asynchronous ones
 * that a further thread completes, copies, device work on three devices of two backends. Each task
 * mixes the numbers behind what it reads into those behind what it writes; some fail; now and then
 * the pushing thread waits for a resource. What comes out must be what running the tasks one after
 * the other in push order gives: numbers, errors with their texts, and one release a task.
 *
 * The numbers are plain memory, so that a thread sanitizer sees an order that is not kept.
 * Prints TAP.
 */
#include <stdio.h>

#include <tenon/scheduler.h>

#include "timeline_backend.h"

enum {
    PUSHERS = 2,
    RESOURCES = 40, /* a pusher */
    MOST_USES = 4,
    DEVICES = 3,
    LOG_LINES = 64
};

typedef enum job_kind { JOB_RUN, JOB_START, JOB_COPY, JOB_QUEUE, JOB_QUEUE_COPY } job_kind;

typedef struct job {
    struct pusher *owner;
    struct job *next; /* in the completing thread's list */
    tn_completion *completion;
    uint32_t number;
    uint8_t kind, fails, read_count, write_count;
    uint8_t reads[MOST_USES], writes[MOST_USES];
    uint8_t ran, released;
} job;

typedef struct pusher {
    uint32_t index, count;
    uint64_t random;
    job *jobs;
    tn_resource *resources[RESOURCES];
    uint64_t numbers[RESOURCES];     /* what the tasks work on */
    uint64_t expected[RESOURCES];    /* what the oracle has */
    uint32_t poisoned_by[RESOURCES]; /* 1 + number of the failed job; 0: clean */
    uint32_t faults;
} pusher;

static tn_runtime *runtime;
static tn_device *devices[DEVICES];

/* The thread that completes asynchronous tasks. */
static struct completer {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    job *first, **last;
    int is_ending;
} completer = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, 0};

static uint64_t draw(pusher *self, uint64_t below) {
    self->random ^= self->random << 13;
    self->random ^= self->random >> 7;
    self->random ^= self->random << 17;
    return (self->random >> 11) % below;
}

static uint64_t mix(uint64_t value, uint64_t with) {
    value = (value ^ with) * 0x9e3779b97f4a7c15u;
    return value ^ value >> 29;
}

/* The same arithmetic for tasks and oracle. */
static void compute(const job *self, uint64_t *numbers) {
    uint64_t sum = self->number;
    for (uint32_t i = 0; i < self->read_count; i++) {
        sum = mix(sum, numbers[self->reads[i]]);
    }
    for (uint32_t i = 0; i < self->write_count; i++) {
        numbers[self->writes[i]] = mix(numbers[self->writes[i]], sum + i);
    }
}

static tn_status work(void *context) {
    job *self = context;
    self->ran++;
    compute(self, self->owner->numbers);
    return TN_OK;
}

static tn_status run_job(void *context) {
    const job *self = context;
    return self->fails ? tni_fail(TN_IO, "job %u fails", (unsigned)self->number) : work(context);
}

static tn_status queue_job(void *context, tn_stream *stream) {
    const job *self = context;
    if (self->fails) {
        return tni_fail(TN_IO, "job %u fails", (unsigned)self->number);
    }
    timeline_queue(stream, work, context);
    return TN_OK;
}

static void complete(job *self) {
    char text[32];
    snprintf(text, sizeof text, "job %u fails", (unsigned)self->number);
    if (!self->fails) {
        work(self);
    }
    tn_task_complete(self->completion, self->fails ? TN_IO : TN_OK, text);
}

/* One in four is over at once. */
static void start_job(void *context, tn_completion *completion) {
    job *self = context;
    self->completion = completion;
    if (self->number % 4 == 0) {
        complete(self);
        return;
    }
    pthread_mutex_lock(&completer.lock);
    self->next = NULL;
    *completer.last = self;
    completer.last = &self->next;
    pthread_cond_signal(&completer.changed);
    pthread_mutex_unlock(&completer.lock);
}

static void *complete_jobs(void *context) {
    (void)context;
    pthread_mutex_lock(&completer.lock);
    while (!completer.is_ending || completer.first != NULL) {
        job *self = completer.first;
        if (self == NULL) {
            pthread_cond_wait(&completer.changed, &completer.lock);
            continue;
        }
        completer.first = self->next;
        if (self->next == NULL) {
            completer.last = &completer.first;
        }
        pthread_mutex_unlock(&completer.lock);
        complete(self);
        pthread_mutex_lock(&completer.lock);
    }
    pthread_mutex_unlock(&completer.lock);
    return NULL;
}

static void release_job(void *context) {
    ((job *)context)->released++;
}

static void fault(pusher *self, const char *what, uint32_t number, const char *text) {
    if (self->faults++ < LOG_LINES) {
        printf("# pusher %u, %s %u: %s\n", (unsigned)self->index, what, (unsigned)number, text);
    }
}

static job_kind draw_kind(pusher *self) {
    const uint64_t at = draw(self, 100);
    return at < 80   ? JOB_RUN
           : at < 88 ? JOB_START
           : at < 90 ? JOB_COPY
           : at < 97 ? JOB_QUEUE
                     : JOB_QUEUE_COPY;
}

static void draw_job(pusher *self, job *made, uint32_t number) {
    /* Some resources are used far more than others. */
    const uint64_t range = draw(self, 4) == 0 ? 3 : RESOURCES;
    *made = (job){.owner = self, .number = number, .kind = (uint8_t)draw_kind(self)};
    made->fails = draw(self, 400) == 0;
    made->read_count = (uint8_t)draw(self, MOST_USES + 1);
    made->write_count = (uint8_t)draw(self, draw(self, 3) == 0 ? MOST_USES + 1 : 2);
    for (uint32_t i = 0; i < MOST_USES; i++) {
        made->reads[i] = (uint8_t)draw(self, range);
        made->writes[i] = (uint8_t)draw(self, range);
    }
}

/* What the sequential program does. */
static void foresee(pusher *self, job *made) {
    uint32_t poison = 0;
    for (uint32_t i = 0; i < made->read_count && poison == 0; i++) {
        poison = self->poisoned_by[made->reads[i]];
    }
    for (uint32_t i = 0; i < made->write_count && poison == 0; i++) {
        poison = self->poisoned_by[made->writes[i]];
    }
    if (poison == 0 && !made->fails) {
        compute(made, self->expected);
        return;
    }
    poison = poison != 0 ? poison : made->number + 1;
    for (uint32_t i = 0; i < made->write_count; i++) {
        uint32_t *place = &self->poisoned_by[made->writes[i]];
        *place = *place != 0 ? *place : poison;
    }
}

static void push(pusher *self, job *made) {
    tn_resource *reads[MOST_USES], *writes[MOST_USES];
    for (uint32_t i = 0; i < MOST_USES; i++) {
        reads[i] = self->resources[made->reads[i]];
        writes[i] = self->resources[made->writes[i]];
    }
    char name[32];
    snprintf(name, sizeof name, "job %u", (unsigned)made->number);
    tn_task task = {
        .struct_size = TN_TASK_SIZE,
        .priority = made->number % 16 == 0 ? (int32_t)draw(self, 5) - 2 : 0,
        .read_count = made->read_count,
        .write_count = made->write_count,
        .name = name,
        .reads = reads,
        .writes = writes,
        .release = release_job,
        .context = made,
    };
    if (made->kind == JOB_COPY || made->kind == JOB_QUEUE_COPY) {
        task.flags = TN_TASK_COPY;
    }
    if (made->kind >= JOB_QUEUE) {
        task.device = devices[draw(self, DEVICES)];
        task.queue = queue_job;
    } else if (made->kind == JOB_START) {
        task.start = start_job;
    } else {
        task.run = run_job;
    }
    if (tn_task_push(runtime, &task) != TN_OK) {
        fault(self, "job", made->number, tn_error_message());
    }
}

/* Of several errors a task has taken over one, and which is not promised; but there must be one,
 * and it must be of a job that fails. */
static void check_error(pusher *self, uint32_t resource, tn_status status) {
    unsigned named = 0;
    const uint32_t poison = self->poisoned_by[resource];
    if ((status == TN_OK) != (poison == 0)) {
        fault(self, "resource", resource, status == TN_OK ? "no error" : tn_error_message());
    } else if (status != TN_OK &&
               (status != TN_IO || sscanf(tn_error_message(), "task 'job %u'", &named) != 1 ||
                named >= self->count || !self->jobs[named].fails)) {
        fault(self, "resource", resource, tn_error_message());
    }
}

/* After the wait the resource is clean, and this thread may read what is behind it. */
static void wait_for(pusher *self, uint32_t resource) {
    const uint32_t access = draw(self, 2) == 0 ? TN_ACCESS_READ : TN_ACCESS_WRITE;
    check_error(self, resource,
                tn_resource_wait(self->resources[resource], access, TN_WAIT_FOREVER));
    self->poisoned_by[resource] = 0;
    if (self->numbers[resource] != self->expected[resource]) {
        fault(self, "resource", resource, "another number than the oracle's");
    }
}

static void *push_jobs(void *context) {
    pusher *self = context;
    for (uint32_t i = 0; i < self->count; i++) {
        draw_job(self, &self->jobs[i], i);
        foresee(self, &self->jobs[i]);
        push(self, &self->jobs[i]);
        if (draw(self, 50) == 0) {
            wait_for(self, (uint32_t)draw(self, RESOURCES));
        }
        if (draw(self, 600) == 0) { /* or everything is poisoned soon */
            for (uint32_t r = 0; r < RESOURCES; r++) {
                wait_for(self, r);
            }
        }
    }
    for (uint32_t r = 0; r < RESOURCES; r++) {
        wait_for(self, r);
    }
    return NULL;
}

static void check_jobs(pusher *self) {
    uint32_t ran = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        ran += self->jobs[i].ran;
        if (self->jobs[i].released != 1 || self->jobs[i].ran > 1) {
            fault(self, "job", i, "not run at most once and released once");
        }
    }
    printf("# pusher %u: %u of %u tasks ran, the others failed or took an error over\n",
           (unsigned)self->index, (unsigned)ran, (unsigned)self->count);
}

static int set_up(pusher *pushers, uint32_t count, uint64_t seed) {
    const tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE, .thread_count = 3};
    if (tn_runtime_create(&options, &runtime) != TN_OK) {
        return 0;
    }
    devices[0] = timeline_open(runtime, 0, 0);
    devices[1] = timeline_open(runtime, 0, 1);
    devices[2] = timeline_open(runtime, 1, 2);
    for (uint32_t p = 0; p < PUSHERS; p++) {
        pusher *self = &pushers[p];
        *self = (pusher){.index = p, .count = count / PUSHERS};
        self->random = (seed + p) * 0x9e3779b97f4a7c15u | 1u;
        self->jobs = calloc(self->count, sizeof *self->jobs);
        for (uint32_t r = 0; r < RESOURCES; r++) {
            if (tn_resource_create(runtime, &self->resources[r]) != TN_OK) {
                return 0;
            }
        }
    }
    return devices[0] != NULL && devices[1] != NULL && devices[2] != NULL;
}

static uint32_t tear_down(pusher *pushers) {
    uint32_t faults = 0;
    tn_task_wait_all(runtime, TN_WAIT_FOREVER); /* the error it may give was told already, or not */
    for (uint32_t p = 0; p < PUSHERS; p++) {
        check_jobs(&pushers[p]);
        faults += pushers[p].faults;
        for (uint32_t r = 0; r < RESOURCES; r++) {
            tn_resource_release(pushers[p].resources[r]);
        }
        free(pushers[p].jobs);
    }
    for (int i = 0; i < DEVICES; i++) {
        tn_device_close(devices[i]);
    }
    tn_runtime_destroy(runtime);
    if (atomic_load(&timeline.streams) != 0 || atomic_load(&timeline.opened) != 0) {
        printf("# streams or devices are left\n");
        faults++;
    }
    return faults;
}

int main(int argc, char **argv) {
    const uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static pusher pushers[PUSHERS];
    pthread_t threads[PUSHERS], completing;
    printf("1..1\n");
    if (!set_up(pushers, count, seed)) {
        printf("not ok 1 - set up: %s\n", tn_error_message());
        return 1;
    }
    completer.last = &completer.first;
    pthread_create(&completing, NULL, complete_jobs, NULL);
    for (int p = 0; p < PUSHERS; p++) {
        pthread_create(&threads[p], NULL, push_jobs, &pushers[p]);
    }
    for (int p = 0; p < PUSHERS; p++) {
        pthread_join(threads[p], NULL);
    }
    const uint32_t faults = tear_down(pushers);
    pthread_mutex_lock(&completer.lock);
    completer.is_ending = 1;
    pthread_cond_signal(&completer.changed);
    pthread_mutex_unlock(&completer.lock);
    pthread_join(completing, NULL);
    printf("# %d submits, %d waits on the device, %d on the host\n", atomic_load(&timeline.submits),
           atomic_load(&timeline.stream_waits), atomic_load(&timeline.host_waits));
    printf("%sok 1 - %u random tasks, seed %llu, as one after the other\n",
           faults > 0 ? "not " : "", (unsigned)count, (unsigned long long)seed);
    return faults > 0;
}
