/* Directories, the search order, and what the ledger says of places. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zoo.h"

static void begin(void) {
    zoo_begin();
    cr_assert_eq(unsetenv("TENON_PLUGIN_PATH"), 0);
}

TestSuite(search, .init = begin, .fini = zoo_end);

/* The first record about that path, or one that is all zeros. */
static tn_ledger_record record_of(const char *path) {
    tn_ledger_record record = {0};
    for (uint32_t i = 0; i < tn_ledger_count(zoo_runtime); i++) {
        record.struct_size = TN_LEDGER_RECORD_SIZE;
        cr_assert_eq(tn_ledger_get(zoo_runtime, i, &record), TN_OK);
        if (strcmp(record.path, path) == 0) {
            return record;
        }
    }
    cr_assert_fail("the ledger has nothing about %s", path);
    return record;
}

static void make_directory(const char *name) {
    cr_assert_eq(mkdir(zoo_path(name), 0755), 0);
}

Test(search, directory_in_order_of_names) {
    uint32_t count = 0;
    zoo_copy_as("unknown_kind", "2.so");
    zoo_copy_as("good", "1.so");
    zoo_copy_as("init_fails", "0.so");
    zoo_copy_as("functions", "functions.so.1"); /* not "*.so" */
    zoo_write(zoo_path("notes.so"), "notes", 5);
    cr_expect_eq(tn_plugin_load_directory(zoo_runtime, zoo_directory, TN_LOAD_NOW, &count), TN_OK);
    cr_expect_eq(count, 2u);
    tn_plugin_info info = {.struct_size = TN_PLUGIN_INFO_SIZE};
    cr_assert_eq(tn_plugin_get(zoo_runtime, 0, &info), TN_OK);
    cr_expect_str_eq(info.name, "good");
    cr_expect_eq(tn_ledger_count(zoo_runtime), 4u);
    cr_expect_eq(record_of(zoo_path("0.so")).verdict, TN_UNAVAILABLE);
    cr_expect_eq(record_of(zoo_path("notes.so")).verdict, TN_CORRUPT);
    /* Again: nothing new, and no failure. */
    cr_expect_eq(tn_plugin_load_directory(zoo_runtime, zoo_directory, TN_LOAD_NOW, &count), TN_OK);
    cr_expect_eq(count, 0u);
}

Test(search, a_plugin_that_was_found_and_refused_is_told_about) {
    zoo_copy("init_fails");
    cr_expect_eq(tn_plugin_load_directory(zoo_runtime, zoo_directory, TN_LOAD_NOW, NULL), TN_OK);
    cr_expect_str_eq(zoo_log, zoo_text("2 tenon: plugin '%s' is not loaded: init failed: no "
                                       "licence for the moon\n",
                                       zoo_path("init_fails.so")));
}

Test(search, missing_directory) {
    const char *path = zoo_path("nowhere");
    cr_expect_eq(tn_plugin_load_directory(zoo_runtime, path, 0, NULL), TN_NOT_FOUND);
    cr_expect_str_eq(tn_error_message(), zoo_text("plugin directory '%s': the directory cannot be "
                                                  "read: No such file or directory",
                                                  path));
}

Test(search, the_order_of_places) {
    make_directory("named");
    make_directory("environment");
    const char *first = zoo_copy_as("good", "named/good.so");
    const char *second = zoo_copy_as("same_name", "environment/good.so");
    zoo_copy_as("unknown_kind", "environment/unknown_kind.so");
    const char *environment =
        zoo_text("relative::%s:%s", zoo_path("environment"), zoo_path("nowhere"));
    cr_assert_eq(setenv("TENON_PLUGIN_PATH", environment, 1), 0);
    const char *paths[] = {zoo_path("named")};
    cr_expect_eq(tn_plugin_load_all(zoo_runtime, paths, 1, 0), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(record_of(first).origin, "named by the user");
    cr_expect_str_eq(record_of(second).origin, "TENON_PLUGIN_PATH");
    cr_expect_eq(record_of(second).verdict, TN_ALREADY_EXISTS);
    cr_expect_str_eq(record_of(second).reason,
                     zoo_text("passed over: a plugin named 'good' (version 1.0, %s) is loaded "
                              "already",
                              first));
    cr_expect_eq(record_of(zoo_path("environment/unknown_kind.so")).verdict, TN_OK);
    cr_expect_eq(record_of("relative").verdict, TN_INVALID_ARGUMENT);
    cr_expect_str_eq(record_of("relative").reason,
                     "not an absolute path: it would depend on the working directory");
    cr_expect_eq(record_of(zoo_path("nowhere")).verdict, TN_NOT_FOUND);
    /* The installed directory is searched last, be it there or not. */
    cr_expect_str_eq(zoo_last_record().origin, "installed");
}

Test(search, a_named_file_that_fails_fails_the_call) {
    const char *paths[] = {zoo_copy("init_fails")};
    cr_expect_eq(tn_plugin_load_all(zoo_runtime, paths, 1, 0), TN_UNAVAILABLE);
    paths[0] = zoo_path("nowhere");
    cr_expect_eq(tn_plugin_load_all(zoo_runtime, paths, 1, 0), TN_NOT_FOUND);
}

/* What lies in the working directory is not found by accident. */
Test(search, not_the_working_directory) {
    zoo_copy("good");
    cr_assert_eq(chdir(zoo_directory), 0);
    cr_assert_eq(setenv("TENON_PLUGIN_PATH", ":.::", 1), 0);
    cr_expect_eq(tn_plugin_load_all(zoo_runtime, NULL, 0, 0), TN_OK);
    cr_expect_null(tni_plugin_find(zoo_runtime, "good"));
    cr_expect_eq(tn_plugin_load(zoo_runtime, "good.so", 0, NULL), TN_OK, "%s", tn_error_message());
}

Test(search, arguments_that_are_missing) {
    cr_expect_eq(tn_plugin_load(zoo_runtime, NULL, 0, NULL), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_plugin_load(NULL, "x", 0, NULL), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_plugin_load_directory(zoo_runtime, NULL, 0, NULL), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_plugin_load_all(zoo_runtime, NULL, 1, 0), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_plugin_unload(zoo_runtime, NULL, 0, NULL), TN_INVALID_ARGUMENT);
    cr_expect_eq(tn_plugin_inspect(NULL, NULL, NULL), TN_INVALID_ARGUMENT);
}
