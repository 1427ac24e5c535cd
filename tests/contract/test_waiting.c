/* Plugins that wait until something of theirs is wanted. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/plugin/operator.h>

#include "plugin/elf_offers.h"
#include "plugin/load.h"
#include "zoo.h"

TestSuite(waiting, .init = zoo_begin, .fini = zoo_end);

static void take_directory(uint32_t flags) {
    cr_assert_eq(tn_plugin_load_directory(zoo_runtime, zoo_directory, flags, NULL), TN_OK, "%s",
                 tn_error_message());
}

static bool is_loaded(const char *name) {
    const tni_plugin *plugin = tni_plugin_find(zoo_runtime, name);
    return plugin != NULL && atomic_load(&plugin->is_ready);
}

static const char *provider(const char *kind, const char *name) {
    const tni_entry *entry = tni_registry_find(zoo_runtime, kind, name);
    return entry != NULL ? entry->plugin->name : NULL;
}

Test(waiting, until_an_entry_is_looked_up) {
    zoo_copy("logs_in_init");
    take_directory(0);
    tn_plugin_info info = {.struct_size = TN_PLUGIN_INFO_SIZE};
    cr_assert_eq(tn_plugin_get(zoo_runtime, 0, &info), TN_OK);
    cr_expect_str_eq(info.name, "logs_in_init");
    cr_expect_eq(info.is_loaded, 0);
    cr_expect_eq(info.entry_count, 1u);
    cr_expect_str_eq(zoo_state("logs_in_init", "op", "logs_in_init", 1), "active");
    cr_expect_str_eq(zoo_last_record().reason, TNI_REASON_WAITS);
    cr_expect_str_eq(zoo_last_record().checks, "file, note, trust, contract, name, offers, commit");
    cr_expect_null(tni_registry_find(zoo_runtime, "op", "another"));
    cr_expect_null(tni_registry_find(zoo_runtime, "kernel", "logs_in_init"));
    cr_expect_null(strstr(zoo_log, "init number"), "%s", zoo_log);

    const tni_entry *entry = tni_registry_find(zoo_runtime, "op", "logs_in_init");
    cr_assert_not_null(entry);
    cr_expect_not_null(entry->entry->impl);
    cr_expect_not_null(strstr(zoo_log, "init number 1 in tenon"), "%s", zoo_log);
    cr_assert_eq(tn_plugin_get(zoo_runtime, 0, &info), TN_OK);
    cr_expect_eq(info.is_loaded, 1);
    cr_expect_str_eq(zoo_last_record().reason, "loaded");
    cr_expect_str_eq(zoo_last_record().checks,
                     "note, trust, contract, unchanged, open, table, entries, init, ready");
}

Test(waiting, not_when_it_is_to_be_loaded_now) {
    zoo_copy("good");
    take_directory(TN_LOAD_NOW);
    cr_expect(is_loaded("good"));
    cr_expect_str_eq(zoo_last_record().reason, "loaded");
}

/* A file that is named after it was found is loaded. */
Test(waiting, not_when_the_file_is_named) {
    zoo_copy("good");
    take_directory(0);
    cr_expect_not(is_loaded("good"));
    cr_expect_eq(tn_plugin_load(zoo_runtime, zoo_path("good.so"), 0, NULL), TN_OK);
    cr_expect(is_loaded("good"));
    cr_expect_eq(tn_plugin_count(zoo_runtime), 1u);
}

Test(waiting, kernels_of_one_operator_alone) {
    zoo_copy("good");
    zoo_copy("functions");
    take_directory(0);
    uint32_t count;
    const tni_entry *const *kernels = tni_registry_kernels(zoo_runtime, "good", &count);
    cr_assert_eq(count, 1u);
    cr_expect_str_eq(tni_kernel_op(kernels[0]), "good");
    cr_expect_str_eq(tni_kernel_target(kernels[0]), "cpu");
    cr_expect_not(is_loaded("good"), "looking at kernels loads none");
    cr_expect(tni_entry_make_ready(kernels[0]));
    cr_expect(is_loaded("good"));
    cr_expect_not(is_loaded("functions"));
}

Test(waiting, listing_a_kind_loads_all_of_it) {
    zoo_copy("good");
    zoo_copy("functions");
    zoo_copy("loads_toys");
    zoo_copy_as("init_fails", "fails.so");
    take_directory(0);
    cr_expect_eq(tni_registry_count(zoo_runtime, "op"), 2u, "the one whose init fails is gone");
    cr_expect_not_null(tni_registry_get(zoo_runtime, "op", 1));
    cr_expect(is_loaded("good") && is_loaded("functions"));
    cr_expect_not(is_loaded("loads_toys"));
}

/* The build for the processor is chosen where the plugin is met, and not once more beside the file
 * to which a link leads. */
Test(waiting, the_build_that_was_met_is_loaded) {
    cr_assert_eq(mkdir(zoo_path("real"), 0755), 0);
    cr_assert_eq(mkdir(zoo_path("real/x86-64-v3"), 0755), 0);
    cr_assert_eq(mkdir(zoo_path("met"), 0755), 0);
    const char *path = zoo_copy_as("good", "real/good.so");
    const char *better = zoo_copy_as("functions", "real/x86-64-v3/good.so");
    cr_assert_eq(symlink(path, zoo_path("met/good.so")), 0);
    cr_assert_eq(tn_plugin_load_directory(zoo_runtime, zoo_path("met"), 0, NULL), TN_OK);
    cr_expect_str_eq(provider("op", "good"), "good");
    unlink(better);
    rmdir(zoo_path("real/x86-64-v3"));
}

/* It is as if it had never been there, and somebody is told. */
Test(waiting, one_that_fails_is_withdrawn) {
    const char *path = zoo_copy("init_fails");
    take_directory(0);
    cr_expect_eq(tn_plugin_count(zoo_runtime), 1u);
    cr_expect_null(tni_registry_find(zoo_runtime, "op", "init_fails"));
    cr_expect_eq(tn_plugin_count(zoo_runtime), 0u);
    cr_expect_eq(zoo_last_record().verdict, TN_UNAVAILABLE);
    cr_expect_str_eq(zoo_last_record().reason, "init failed: no licence for the moon");
    cr_expect_not_null(strstr(zoo_log, zoo_text("2 tenon: plugin '%s' is not loaded: init failed: "
                                                "no licence for the moon\n",
                                                path)),
                       "%s", zoo_log);
    cr_expect_null(tni_registry_find(zoo_runtime, "op", "init_fails"));
    char refusal[TNI_REFUSAL_SIZE];
    cr_expect_str_eq(tni_registry_refusal(zoo_runtime, "op", "init_fails", refusal),
                     "; plugin 'init_fails' does, but could not be loaded (`tenon plugin why "
                     "init_fails` tells)");
    cr_expect_str_empty(tni_registry_refusal(zoo_runtime, "op", "never_there", refusal));
    /* And it may come again. */
    cr_expect_eq(tn_plugin_load(zoo_runtime, path, 0, NULL), TN_UNAVAILABLE);
}

static void expect_liar(const char *name, const char *kind, const char *entry, const char *reason) {
    zoo_copy(name);
    take_directory(0);
    cr_expect_not(is_loaded(name));
    cr_expect_null(tni_registry_find(zoo_runtime, kind, entry));
    cr_expect_eq(zoo_last_record().verdict, TN_CORRUPT);
    cr_expect_str_eq(zoo_last_record().reason, reason);
    cr_expect_str_eq(zoo_last_record().remedy, "correct the entry in the plugin's source");
    cr_expect_null(tni_registry_find(zoo_runtime, "op", "delivered"));
}

Test(waiting, a_table_that_lacks_what_the_file_promises) {
    expect_liar("renames_entry", "op", "promised",
                "entry 0 (op 'delivered'): file and table disagree: the file offers op 'promised'");
}

Test(waiting, a_kernel_of_another_operator_than_the_file_says) {
    expect_liar("moves_kernel", "op", "moved",
                "entry 1 (kernel 'moved.cpu'): file and table disagree: the file has 'moved'");
}

/* Whatever becomes of the bytes, the reader stays within them, and what it gives is whole. */
Test(waiting, damaged_files_do_no_harm) {
    size_t size;
    char *bytes = zoo_read(zoo_copy("good"), &size);
    const int file = memfd_create("good", MFD_CLOEXEC);
    uint32_t state = 1, understood = 0;
    for (int round = 0; round < 4000; round++) {
        char *copy = zoo_read(zoo_path("good.so"), &size);
        for (int i = 0; i < 1 + round % 8; i++) {
            state = state * 1664525 + 1013904223;
            copy[(state >> 8) % size] = (char)(state >> 3);
        }
        const size_t part = round % 4 == 0 ? (state >> 8) % size : size;
        tni_arena arena = {0};
        tni_offer *offers;
        uint32_t count;
        cr_assert_eq(ftruncate(file, 0), 0);
        cr_assert_eq(pwrite(file, copy, part, 0), (ssize_t)part);
        if (tni_offers_read(file, part, &arena, &offers, &count) == TN_OK) {
            for (uint32_t i = 0; i < count; i++) {
                understood += strlen(offers[i].entry.kind) + strlen(offers[i].entry.name) > 0;
            }
        }
        tni_arena_finish(&arena);
    }
    cr_expect_gt(understood, 0u);
    cr_expect_eq(bytes[0], 0x7f);
    close(file);
}

/* What the file does not tell cannot be waited for. */
Test(waiting, a_file_that_does_not_tell_is_loaded_at_once) {
    zoo_copy("hides_entry");
    take_directory(0);
    cr_expect(is_loaded("hides_entry"));
    cr_expect_str_eq(provider("op", "hidden"), "hides_entry");
}

/* Places are given in the order of the search, whatever is loaded when. */
Test(waiting, names_belong_to_the_first_that_was_found) {
    zoo_copy_as("good", "1.so");
    zoo_copy_as("duplicate_op", "2.so");
    take_directory(0);
    cr_expect_eq(zoo_last_record().verdict, TN_ALREADY_EXISTS);
    cr_expect_eq(tn_plugin_count(zoo_runtime), 1u);
    cr_expect_null(tni_registry_find(zoo_runtime, "op", "own"));
    cr_expect_str_eq(provider("op", "good"), "good");
}

Test(waiting, an_override_that_cannot_be_loaded_gives_the_place_back) {
    zoo_copy_as("good", "1.so");
    const char *second = zoo_copy_as("override", "2.so");
    take_directory(TN_LOAD_ALLOW_OVERRIDE);
    cr_expect_str_eq(zoo_state("good", "op", "good", 1), "overridden by override");
    cr_assert_eq(unlink(second), 0);
    cr_expect_str_eq(provider("op", "good"), "good");
    cr_expect_str_eq(zoo_state("good", "op", "good", 1), "active");
}

Test(waiting, a_file_that_has_changed_is_not_loaded) {
    const char *path = zoo_copy("good");
    take_directory(0);
    zoo_copy_as("functions", "new.so");
    cr_assert_eq(rename(zoo_path("new.so"), path), 0);
    cr_expect_null(tni_registry_find(zoo_runtime, "op", "good"));
    cr_expect_eq(zoo_last_record().verdict, TN_FAILED_PRECONDITION);
    cr_expect_str_eq(zoo_last_record().reason, "the file has changed since it was looked at");
    cr_expect_str_eq(zoo_last_record().checks, "note, trust, contract, unchanged");
}

Test(waiting, an_init_may_use_what_waits) {
    zoo_copy("functions");
    zoo_copy("uses_function");
    take_directory(0);
    cr_expect_str_eq(provider("op", "uses_function"), "uses_function");
    cr_expect(is_loaded("functions"));
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "functions", 0, NULL), TN_BUSY);
}

Test(waiting, an_init_does_not_find_its_own_plugin) {
    zoo_copy("looks_up_itself");
    take_directory(0);
    cr_expect_str_eq(provider("function", "one"), "looks_up_itself");
}

Test(waiting, may_be_unloaded) {
    zoo_copy("good");
    take_directory(0);
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "good", 0, NULL), TN_OK, "%s", tn_error_message());
    cr_expect_eq(tn_plugin_count(zoo_runtime), 0u);
    cr_expect_null(tni_registry_find(zoo_runtime, "op", "good"));
    take_directory(0);
    cr_expect_str_eq(provider("op", "good"), "good");
}

static void *look_up(void *context) {
    const tni_entry *entry = tni_registry_find(zoo_runtime, "op", "logs_in_init");
    (void)context;
    return (void *)(uintptr_t)(entry != NULL && entry->entry->impl != NULL);
}

Test(waiting, threads_load_it_once) {
    pthread_t threads[8];
    zoo_copy("logs_in_init");
    take_directory(0);
    for (int i = 0; i < 8; i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, look_up, NULL), 0);
    }
    for (int i = 0; i < 8; i++) {
        void *found;
        pthread_join(threads[i], &found);
        cr_expect_eq((uintptr_t)found, 1u);
    }
    cr_expect_null(strstr(zoo_log, "init number 2"), "%s", zoo_log);
}
