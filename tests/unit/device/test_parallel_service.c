#include <pthread.h>
#include <stdatomic.h>

#include "cpu_device.h"

enum { COUNT = 100000, THREADS = 3, ROUNDS = 200 };

static void set_up(void) {
    cpu_set_up(3);
}

TestSuite(parallel_service, .init = set_up, .fini = cpu_tear_down);

typedef struct work {
    const tn_host *host;
    int64_t grain;
    atomic_int calls, small;
    unsigned char done[COUNT];
} work;

static const tn_host *host(void) {
    return &tni_plugin_find(runtime, "cpu")->host;
}

static const tn_parallel_service *service(void) {
    return host()->find_service(host(), "parallel", 1);
}

static work *new_work(int64_t grain) {
    work *w = calloc(1, sizeof *w);
    w->host = host();
    w->grain = grain;
    return w;
}

static void mark(void *context, int64_t begin, int64_t end) {
    work *w = context;
    cr_assert(begin >= 0 && begin < end && end <= COUNT);
    atomic_fetch_add(&w->calls, 1);
    if (end - begin < w->grain && end != COUNT) {
        atomic_fetch_add(&w->small, 1);
    }
    for (int64_t i = begin; i < end; i++) {
        w->done[i]++;
    }
}

static void check_and_free(work *w) {
    for (int64_t i = 0; i < COUNT; i++) {
        cr_assert_eq(w->done[i], 1, "number %lld was done %d times", (long long)i, w->done[i]);
    }
    cr_assert_eq(atomic_load(&w->small), 0);
    free(w);
}

Test(parallel_service, without_a_device_the_caller_does_it) {
    work *w = new_work(100);
    cr_assert_null(tni_device_cpu(runtime));
    cr_assert_eq(service()->thread_count(host()), 1);
    service()->run(host(), COUNT, w->grain, mark, w);
    cr_assert_eq(atomic_load(&w->calls), 1);
    check_and_free(w);
}

Test(parallel_service, every_number_is_done_once) {
    tn_device *device = open_cpu();
    const int64_t grains[] = {1, 7, 1000, COUNT - 1, COUNT, 2 * COUNT, 0, -5};
    cr_assert_eq(tni_device_cpu(runtime), device);
    cr_assert_eq(service()->thread_count(host()), 3);
    for (size_t i = 0; i < sizeof grains / sizeof grains[0]; i++) {
        work *w = new_work(grains[i]);
        service()->run(host(), COUNT, w->grain, mark, w);
        check_and_free(w);
    }
    service()->run(host(), 0, 1, mark, NULL);
    service()->run(host(), -1, 1, mark, NULL);
    tn_device_close(device);
    cr_assert_null(tni_device_cpu(runtime));
}

static void loop_within(void *context, int64_t begin, int64_t end) {
    const work *outer = context;
    for (int64_t i = begin; i < end; i++) {
        work *inner = new_work(10);
        service()->run(outer->host, COUNT, inner->grain, mark, inner);
        check_and_free(inner);
    }
}

Test(parallel_service, a_loop_within_a_loop_does_not_wait_for_itself) {
    tn_device *device = open_cpu();
    work outer_work = {.host = host()};
    service()->run(host(), 20, 1, loop_within, &outer_work);
    tn_device_close(device);
}

static void *run_often(void *context) {
    (void)context;
    for (int i = 0; i < ROUNDS / 10; i++) {
        work *w = new_work(50);
        service()->run(host(), COUNT, w->grain, mark, w);
        check_and_free(w);
    }
    return NULL;
}

static void *open_often(void *context) {
    (void)context;
    for (int i = 0; i < ROUNDS / 10; i++) {
        tn_device_close(open_cpu());
    }
    return NULL;
}

Test(parallel_service, callers_at_once_while_the_device_comes_and_goes) {
    pthread_t threads[THREADS], opener;
    cr_assert_eq(pthread_create(&opener, NULL, open_often, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, run_often, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_join(opener, NULL);
    cr_assert_null(tni_device_cpu(runtime));
}
