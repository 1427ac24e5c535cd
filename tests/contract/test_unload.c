/* Leases, and what an unload answers. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tenon/plugin/operator.h>

#include "zoo.h"

TestSuite(unload, .init = zoo_begin, .fini = zoo_end);

/* Under AddressSanitizer no library is ever closed. */
static bool can_close(void) {
    return strcmp(TN_SANITIZER, "address") != 0;
}

Test(unload, closes) {
    int32_t closed = -1;
    zoo_load("good");
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "good", 0, &closed), TN_OK);
    cr_expect_eq(closed, can_close() ? 1 : 0);
    cr_expect_eq(tn_plugin_count(zoo_runtime), 0u);
    cr_expect_null(tni_registry_find(zoo_runtime, "op", "good"));
    cr_expect_str_eq(zoo_last_record().reason,
                     can_close() ? "unloaded" : "unloaded; its code stays in memory");
    /* And again. */
    cr_expect_eq(tn_plugin_load(zoo_runtime, zoo_path("good.so"), 0, NULL), TN_OK, "%s",
                 tn_error_message());
    cr_expect_not_null(tni_registry_find(zoo_runtime, "op", "good"));
}

Test(unload, says_when_the_code_stays) {
    int32_t closed = -1;
    zoo_load("stays_mapped");
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "stays_mapped", 0, &closed), TN_OK);
    cr_expect_eq(closed, 0);
    cr_expect_str_eq(zoo_last_record().reason, "unloaded; its code stays in memory");
}

Test(unload, unknown) {
    int32_t closed = -1;
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "nobody", 0, &closed), TN_NOT_FOUND);
    cr_expect_str_eq(tn_error_message(), "plugin unload 'nobody': no such plugin is loaded");
    cr_expect_eq(closed, -1);
}

Test(unload, names_its_holders) {
    tni_plugin *plugin = zoo_load("good");
    cr_assert_eq(tni_plugin_acquire(plugin, TNI_HOLDER_GRAPH), TN_OK);
    cr_assert_eq(tni_plugin_acquire(plugin, TNI_HOLDER_GRAPH), TN_OK);
    cr_assert_eq(tni_plugin_acquire(plugin, TNI_HOLDER_DEVICE), TN_OK);
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "good", 1000000, NULL), TN_BUSY);
    cr_expect_str_eq(tn_error_message(),
                     "plugin unload 'good': it is still in use by 2 graphs, 1 device");
    /* It goes on as before. */
    cr_expect_eq(tni_plugin_acquire(plugin, TNI_HOLDER_CALL), TN_OK);
    tni_plugin_release(plugin, TNI_HOLDER_CALL);
    tni_plugin_release(plugin, TNI_HOLDER_GRAPH);
    tni_plugin_release(plugin, TNI_HOLDER_GRAPH);
    tni_plugin_release(plugin, TNI_HOLDER_DEVICE);
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "good", 0, NULL), TN_OK);
    /* The record of a plugin that is gone gives no lease. */
    cr_expect_eq(tni_plugin_acquire(plugin, TNI_HOLDER_CALL), TN_BUSY);
    cr_expect_str_eq(tn_error_message(), "plugin 'good' is being unloaded");
}

static void *release_later(void *plugin) {
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    tni_plugin_release(plugin, TNI_HOLDER_SESSION);
    return NULL;
}

Test(unload, waits_for_the_deadline) {
    pthread_t thread;
    tni_plugin *plugin = zoo_load("good");
    cr_assert_eq(tni_plugin_acquire(plugin, TNI_HOLDER_SESSION), TN_OK);
    cr_assert_eq(pthread_create(&thread, NULL, release_later, plugin), 0);
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "good", 10000000000u, NULL), TN_OK, "%s",
                 tn_error_message());
    pthread_join(thread, NULL);
}

Test(unload, a_plugin_that_another_one_uses) {
    zoo_load("functions");
    zoo_load("uses_function");
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "functions", 0, NULL), TN_BUSY);
    cr_expect_str_eq(tn_error_message(),
                     "plugin unload 'functions': it is still in use by 1 plugin");
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "uses_function", 0, NULL), TN_OK);
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "functions", 0, NULL), TN_OK);
}

/* A load that fails after it found a function does not go on holding its plugin. */
Test(unload, a_failed_load_holds_nothing) {
    zoo_expect_bad("uses_function", TN_INTERNAL, "init failed: no plugin offers a function 'add'",
                   "cure what its init reports");
    zoo_load("functions");
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "functions", 0, NULL), TN_OK);
}

/* init and fini once for each runtime, and the state is the runtime's. */
Test(unload, init_and_fini) {
    tn_runtime *other;
    zoo_load("logs_in_init");
    cr_assert_eq(tn_runtime_create(NULL, &other), TN_OK);
    cr_assert_eq(tn_plugin_load(other, zoo_path("logs_in_init.so"), 0, NULL), TN_OK);
    tn_runtime_destroy(other);
    cr_expect_not_null(strstr(zoo_log, "1 logs_in_init: init number 1 in tenon\n"));
    cr_expect_null(strstr(zoo_log, "fini"));
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "logs_in_init", 0, NULL), TN_OK);
    /* A level that does not exist is an error. */
    cr_expect_not_null(strstr(zoo_log, "3 logs_in_init: fini, count 2\n"), "%s", zoo_log);
}

Test(unload, memory_that_was_left_behind) {
    const tni_plugin *plugin = zoo_load("leaks_memory");
    cr_expect_eq(atomic_load(&plugin->memory_size), 100u);
    const tn_memory_service *memory = plugin->host.find_service(&plugin->host, "memory", 1);
    void *left = plugin->host.plugin_state;
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "leaks_memory", 0, NULL), TN_OK);
    cr_expect_not_null(strstr(zoo_log, "2 tenon: plugin 'leaks_memory' left 100 bytes in 1 "
                                       "allocations of the memory service behind\n"),
                       "%s", zoo_log);
    memory->free(&plugin->host, left);
}

/* Each plugin calls its own function of one name. */
Test(unload, libraries_are_local) {
    tn_argument first, second;
    zoo_load("helper_1");
    zoo_load("helper_2");
    cr_assert_eq(tn_function_call(zoo_runtime, "call_helper_1", NULL, 0, &first), TN_OK);
    cr_assert_eq(tn_function_call(zoo_runtime, "call_helper_2", NULL, 0, &second), TN_OK);
    cr_expect_eq(first.i, 1);
    cr_expect_eq(second.i, 2);
}

/* Readers on other threads while a plugin comes and goes: what they hold a lease on stays. */

static atomic_bool stop_reading;

static void *read_registry(void *context) {
    (void)context;
    uint32_t *seen = calloc(1, sizeof *seen);
    while (!atomic_load(&stop_reading)) {
        uint32_t count;
        const tni_entry *entry = tni_registry_find(zoo_runtime, "op", "good");
        const tni_entry *const *kernels = tni_registry_kernels(zoo_runtime, "good", &count);
        if (entry == NULL || tni_plugin_acquire(entry->plugin, TNI_HOLDER_CALL) != TN_OK) {
            continue;
        }
        *seen += ((const tn_op *)entry->entry->impl)->input_name_count;
        tni_plugin_release(entry->plugin, TNI_HOLDER_CALL);
        *seen += count > 0 && kernels[0] != NULL ? 1 : 0;
    }
    return seen;
}

Test(unload, while_others_read) {
    pthread_t threads[2];
    const char *path = zoo_copy("good");
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, read_registry, NULL), 0);
    }
    for (int i = 0; i < 50; i++) {
        cr_assert_eq(tn_plugin_load(zoo_runtime, path, 0, NULL), TN_OK, "%s", tn_error_message());
        const struct timespec pause = {0, 200000};
        nanosleep(&pause, NULL);
        cr_assert_eq(tn_plugin_unload(zoo_runtime, "good", 1000000000, NULL), TN_OK, "%s",
                     tn_error_message());
    }
    atomic_store(&stop_reading, true);
    for (int i = 0; i < 2; i++) {
        void *seen;
        pthread_join(threads[i], &seen);
        cr_expect_gt(*(uint32_t *)seen, 0u);
        free(seen);
    }
}

/* Several threads load at once: one after the other, and each file once. */

static void *load_directory(void *context) {
    return (void *)(uintptr_t)tn_plugin_load_directory(zoo_runtime, context, 0, NULL);
}

Test(unload, loads_from_several_threads) {
    pthread_t threads[4];
    zoo_copy("good");
    zoo_copy("functions");
    zoo_copy("unknown_kind");
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, load_directory, zoo_directory), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *status;
        pthread_join(threads[i], &status);
        cr_expect_eq((uintptr_t)status, TN_OK);
    }
    cr_expect_eq(tn_plugin_count(zoo_runtime), 3u);
    cr_expect_eq(tn_ledger_count(zoo_runtime), 12u);
}
