/* Foreign libraries: recognised, made plugins of, and held to the rules of all plugins. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>

#include "zoo.h"

/* How many symbols the foreign libraries show: a sanitizer adds one for each. */
#ifdef __SANITIZE_ADDRESS__
#define ONE "2"
#define TWO "4"
#else
#define ONE "1"
#define TWO "2"
#endif

TestSuite(loader, .init = zoo_begin, .fini = zoo_end);

static const char *load_toy(void) {
    const char *name;
    zoo_load("loads_toys");
    cr_assert_eq(tn_plugin_load(zoo_runtime, zoo_copy("foreign_toy"), 0, &name), TN_OK, "%s",
                 tn_error_message());
    return name;
}

Test(loader, makes_a_plugin) {
    cr_expect_str_eq(load_toy(), "foreign_toy");
    cr_expect_str_eq(zoo_state("foreign_toy", "op", "toy_operator", 1), "active");
    cr_expect_str_eq(tni_plugin_find(zoo_runtime, "foreign_toy")->version, "3.1");
    cr_expect_str_eq(zoo_last_record().checks,
                     "file, note, loader, trust, name, open, load, entries, init, commit");
    cr_expect_str_eq(zoo_last_record().reason, "loaded");
    cr_expect_str_eq(zoo_last_record().name, "foreign_toy");
}

Test(loader, is_needed) {
    zoo_expect_bad("foreign_toy", TN_CORRUPT, "not a plugin: a shared library without a Tenon note",
                   "give a library");
    zoo_load("loads_toys");
    zoo_expect_bad("no_note", TN_CORRUPT,
                   "not a plugin: a shared library without a Tenon note, and no loader (toy) "
                   "recognises it",
                   "give a library");
}

Test(loader, file_names_become_names) {
    const char *name;
    zoo_load("loads_toys");
    const char *path = zoo_copy_as("foreign_toy", "my toy+.so.1");
    cr_assert_eq(tn_plugin_load(zoo_runtime, path, 0, &name), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(name, "my_toy_");
}

Test(loader, faults_are_refused) {
    zoo_load("loads_toys");
    zoo_expect_bad("foreign_toy_broken", TN_INCOMPATIBLE, "toy: it is broken", "glue it");
    zoo_expect_bad("foreign_toy_lost", TN_UNAVAILABLE, "toy: it is under the sofa",
                   "correct the library");
    zoo_expect_bad("foreign_toy_gone", TN_INTERNAL, "loader toy: the loader gave no table",
                   "correct the library");
    zoo_expect_bad("foreign_toy_renamed", TN_INTERNAL,
                   "loader toy: the loader's table has another name or no version",
                   "correct the library");
}

/* What was made is unloaded once for each success of `load`, and the loader stays meanwhile. */
Test(loader, a_plugin_holds_its_loader) {
    int32_t closed;
    load_toy();
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "loads_toys", 0, NULL), TN_BUSY);
    cr_expect_str_eq(tn_error_message(),
                     "plugin unload 'loads_toys': it is still in use by 1 plugin");
    cr_expect_null(strstr(zoo_log, "loads_toys: unload"));
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "foreign_toy", 0, &closed), TN_OK, "%s",
                 tn_error_message());
    cr_expect_not_null(strstr(zoo_log, "loads_toys: unload"));
    cr_expect_null(tni_registry_find(zoo_runtime, "op", "toy_operator"));
    cr_expect_eq(tn_plugin_unload(zoo_runtime, "loads_toys", 0, NULL), TN_OK);
}

Test(loader, names_and_entries_clash_as_ever) {
    load_toy();
    const char *again = zoo_copy_as("foreign_toy", "other_toy.so");
    cr_expect_eq(tn_plugin_load(zoo_runtime, again, 0, NULL), TN_ALREADY_EXISTS);
    cr_expect_not_null(strstr(tn_error_message(), "entry 0 (op 'toy_operator'): plugin "
                                                  "'foreign_toy'"),
                       "%s", tn_error_message());
}

Test(loader, foreign_files_are_trusted_no_more) {
    zoo_load("loads_toys");
    const char *path = zoo_copy("foreign_toy");
    cr_assert_eq(chmod(path, 0666), 0);
    cr_expect_eq(tn_plugin_load(zoo_runtime, path, 0, NULL), TN_DENIED);
    cr_expect_str_eq(zoo_last_record().checks, "file, note, loader, trust");
    cr_expect_eq(tn_plugin_load(zoo_runtime, path, TN_LOAD_ALLOW_WRITABLE, NULL), TN_OK, "%s",
                 tn_error_message());
}

/* A search finds the loader after the library that needs it. */
Test(loader, a_search_comes_back_to_libraries) {
    uint32_t count;
    zoo_copy("foreign_toy");
    zoo_copy("loads_toys");
    zoo_copy("no_note");
    cr_assert_eq(tn_plugin_load_directory(zoo_runtime, zoo_directory, 0, &count), TN_OK);
    cr_expect_eq(count, 2u);
    cr_expect_str_eq(zoo_state("foreign_toy", "op", "toy_operator", 1), "active");
}

Test(loader, a_named_library_waits_for_its_loader) {
    const char *const paths[] = {zoo_copy("foreign_toy"), zoo_copy("loads_toys")};
    cr_assert_eq(tn_plugin_load_all(zoo_runtime, paths, 2, 0), TN_OK, "%s", tn_error_message());
    cr_expect_str_eq(zoo_state("foreign_toy", "op", "toy_operator", 1), "active");
    cr_expect_str_eq(zoo_last_record().origin, "named by the user");
}

Test(loader, a_named_library_that_nobody_loads_is_a_failure) {
    const char *const path = zoo_copy("foreign_toy");
    cr_expect_eq(tn_plugin_load_all(zoo_runtime, &path, 1, 0), TN_CORRUPT);
    cr_expect_not_null(strstr(tn_error_message(), "without a Tenon note"), "%s",
                       tn_error_message());
}

Test(loader, inspection_runs_nothing_of_the_library) {
    tn_identity identity = {.struct_size = TN_IDENTITY_SIZE};
    const char *path = zoo_copy("foreign_toy");
    cr_expect_eq(tn_plugin_inspect(zoo_runtime, path, &identity), TN_OK);
    cr_expect_eq(identity.verdict, TN_CORRUPT);
    zoo_load("loads_toys");
    cr_expect_eq(tn_plugin_inspect(zoo_runtime, path, &identity), TN_OK);
    cr_expect_eq(identity.verdict, TN_OK, "%s", identity.reason);
    cr_expect_str_eq(identity.name, "foreign_toy");
    cr_expect_str_eq(identity.loader, "toy");
    cr_expect_str_eq(identity.description, "toy");
    const char *broken = zoo_copy("foreign_toy_broken");
    cr_expect_eq(tn_plugin_inspect(zoo_runtime, broken, &identity), TN_OK);
    cr_expect_eq(identity.verdict, TN_INCOMPATIBLE);
    cr_expect_str_eq(identity.reason, "toy: it is broken");
    cr_expect_str_eq(identity.remedy, "glue it");
}
