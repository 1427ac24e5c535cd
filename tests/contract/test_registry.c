/* What is offered, who may offer it, and what an old or a new plugin looks like to this host. */
#include <criterion/criterion.h>
#include <string.h>

#include <tenon/plugin/kernel.h>
#include <tenon/plugin/operator.h>

#include "plugin/kinds.h"
#include "zoo.h"

TestSuite(registry, .init = zoo_begin, .fini = zoo_end);

#define CORRECT "correct the entry in the plugin's source"

static const char *provider(const char *kind, const char *name) {
    const tni_entry *entry = tni_registry_find(zoo_runtime, kind, name);
    return entry != NULL ? entry->plugin->name : NULL;
}

Test(registry, a_plugin_is_listed) {
    const tni_plugin *plugin = zoo_load("good");
    tn_plugin_info info = {.struct_size = TN_PLUGIN_INFO_SIZE};
    cr_expect_eq(tn_plugin_count(zoo_runtime), 1u);
    cr_expect_eq(tn_plugin_get(zoo_runtime, 0, &info), TN_OK);
    cr_expect_str_eq(info.name, "good");
    cr_expect_str_eq(info.version, "1.0");
    cr_expect_str_eq(info.path, plugin->path);
    cr_expect_eq(info.entry_count, 2u);
    cr_expect_str_eq(zoo_state("good", "op", "good", 1), "active");
    cr_expect_str_eq(provider("op", "good"), "good");
    cr_expect_str_eq(provider("kernel", "good.cpu"), "good");
    cr_expect_null(provider("op", "better"));
    cr_expect_null(provider("device", "good"));
    cr_expect_null(provider("teleporter", "good"));
}

/* A caller that knows less gets less, and nothing behind it is written to. */
Test(registry, infos_of_older_callers) {
    zoo_load("good");
    tn_plugin_info info = {.struct_size = TN_STRUCT_END(tn_plugin_info, name),
                           .version = "untouched"};
    cr_expect_eq(tn_plugin_get(zoo_runtime, 0, &info), TN_OK);
    cr_expect_str_eq(info.name, "good");
    cr_expect_str_eq(info.version, "untouched");
    cr_expect_eq(info.struct_size, TN_STRUCT_END(tn_plugin_info, name));
}

Test(registry, indices_beyond_the_end) {
    zoo_load("good");
    tn_plugin_info info = {.struct_size = TN_PLUGIN_INFO_SIZE};
    tn_entry_info entry = {.struct_size = TN_ENTRY_INFO_SIZE};
    tn_ledger_record record = {.struct_size = TN_LEDGER_RECORD_SIZE};
    cr_expect_eq(tn_plugin_get(zoo_runtime, 1, &info), TN_OUT_OF_RANGE);
    cr_expect_str_eq(tn_error_message(), "plugin number 1: there are 1");
    cr_expect_eq(tn_plugin_entry(zoo_runtime, 0, 2, &entry), TN_OUT_OF_RANGE);
    cr_expect_str_eq(tn_error_message(), "plugin 'good': entry 2 of 2");
    cr_expect_eq(tn_ledger_get(zoo_runtime, 1, &record), TN_OUT_OF_RANGE);
    cr_expect_str_eq(tn_error_message(), "ledger: record 1 of 1");
}

Test(registry, two_runtimes_do_not_see_each_other) {
    tn_runtime *other;
    cr_assert_eq(tn_runtime_create(NULL, &other), TN_OK);
    zoo_load("good");
    cr_expect_eq(tn_plugin_count(other), 0u);
    cr_expect_null(tni_registry_find(other, "op", "good"));
    cr_expect_eq(tn_plugin_load(other, zoo_path("good.so"), 0, NULL), TN_OK);
    cr_expect_not_null(tni_registry_find(other, "op", "good"));
    tn_runtime_destroy(other);
    cr_expect_not_null(tni_registry_find(zoo_runtime, "op", "good"));
}

/* Taken names. */

Test(registry, duplicate_op) {
    const tni_plugin *good = zoo_load("good");
    zoo_expect_bad(
        "duplicate_op", TN_ALREADY_EXISTS,
        zoo_text("entry 1 (op 'good'): plugin 'good' (%s) offers it already", good->path),
        "load only one of the two, or rename the entry, or mark it TN_ENTRY_OVERRIDES");
    cr_expect_null(provider("op", "own"));
    cr_expect_str_eq(provider("op", "good"), "good");
}

Test(registry, duplicate_plugin_name) {
    const tni_plugin *good = zoo_load("good");
    zoo_expect_bad(
        "same_name", TN_ALREADY_EXISTS,
        zoo_text("a plugin named 'good' (version 1.0, %s) is loaded already", good->path),
        "unload it first, or give one of the two another name");
}

Test(registry, kernels_do_not_clash) {
    zoo_load("good");
    zoo_load("duplicate_kernel");
    uint32_t count = 0;
    const tni_entry *const *kernels = tni_registry_kernels(zoo_runtime, "good", &count);
    cr_assert_eq(count, 2u);
    cr_expect_str_eq(kernels[0]->plugin->name, "good");
    cr_expect_str_eq(kernels[1]->plugin->name, "duplicate_kernel");
    cr_expect_eq(tni_registry_count(zoo_runtime, "kernel"), 2u);
    cr_expect_str_eq(provider("kernel", "good.cpu"), "good");
    tni_registry_kernels(zoo_runtime, "no_such_operator", &count);
    cr_expect_eq(count, 0u);
}

/* An array of kernels that was handed out stays as it was, whatever is loaded or unloaded. */
Test(registry, kernel_lists_are_stable) {
    uint32_t before, after;
    zoo_load("good");
    zoo_load("duplicate_kernel");
    const tni_entry *const *kernels = tni_registry_kernels(zoo_runtime, "good", &before);
    const tni_entry *const first = kernels[0];
    cr_assert_eq(tn_plugin_unload(zoo_runtime, "good", 0, NULL), TN_OK);
    cr_expect_eq(kernels[0], first);
    const tni_entry *const *rest = tni_registry_kernels(zoo_runtime, "good", &after);
    cr_assert_eq(after, 1u);
    cr_expect_eq(rest[0], kernels[1]);
    cr_expect_str_eq(provider("kernel", "good.cpu"), "duplicate_kernel");
}

/* Overriding. */

Test(registry, override_without_permission) {
    const tni_plugin *good = zoo_load("good");
    zoo_expect_bad("override", TN_DENIED,
                   zoo_text("entry 0 (op 'good'): it overrides that of plugin 'good' (%s), which "
                            "the user has not allowed",
                            good->path),
                   "allow overrides (TN_LOAD_ALLOW_OVERRIDE)");
    cr_expect_str_eq(provider("op", "good"), "good");
}

Test(registry, override_with_permission) {
    zoo_load("good");
    const char *path = zoo_copy("override");
    cr_assert_eq(tn_plugin_load(zoo_runtime, path, TN_LOAD_ALLOW_OVERRIDE, NULL), TN_OK);
    cr_expect_str_eq(provider("op", "good"), "override");
    cr_expect_str_eq(zoo_state("good", "op", "good", 1), "overridden by override");
    cr_expect_str_eq(zoo_state("override", "op", "good", 1), "active");
    cr_expect_eq(tni_registry_count(zoo_runtime, "op"), 1u);
    /* The place goes back when the one that took it is gone. */
    cr_assert_eq(tn_plugin_unload(zoo_runtime, "override", 0, NULL), TN_OK);
    cr_expect_str_eq(provider("op", "good"), "good");
    cr_expect_str_eq(zoo_state("good", "op", "good", 1), "active");
    cr_expect_eq(tni_registry_count(zoo_runtime, "op"), 1u);
}

Test(registry, the_overridden_plugin_may_go_first) {
    zoo_load("good");
    const char *path = zoo_copy("override");
    cr_assert_eq(tn_plugin_load(zoo_runtime, path, TN_LOAD_ALLOW_OVERRIDE, NULL), TN_OK);
    cr_assert_eq(tn_plugin_unload(zoo_runtime, "good", 0, NULL), TN_OK);
    cr_expect_str_eq(provider("op", "good"), "override");
    cr_assert_eq(tn_plugin_unload(zoo_runtime, "override", 0, NULL), TN_OK);
    cr_expect_null(provider("op", "good"));
    cr_expect_eq(tni_registry_count(zoo_runtime, "op"), 0u);
}

Test(registry, override_of_nothing) {
    zoo_load("override");
    cr_expect_str_eq(provider("op", "good"), "override");
}

/* Old and new. */

Test(registry, unknown_kind) {
    zoo_load("unknown_kind");
    cr_expect_str_eq(zoo_state("unknown_kind", "teleporter", "beam", 1),
                     "skipped: this library does not know the kind 'teleporter'");
    cr_expect_str_eq(provider("op", "known"), "unknown_kind");
}

Test(registry, newer_version) {
    zoo_load("newer_version");
    cr_expect_str_eq(zoo_state("newer_version", "op", "both", 99),
                     "skipped: version 99 of kind 'op', this library knows up to 1");
    cr_expect_str_eq(zoo_state("newer_version", "op", "both", 1), "active");
    cr_expect_str_eq(zoo_state("newer_version", "op", "newer", 99),
                     "skipped: version 99 of kind 'op', this library knows up to 1");
    cr_expect_eq(tni_registry_find(zoo_runtime, "op", "both")->entry->version, 1u);
    cr_expect_null(provider("op", "newer"));
}

/* What the author of a shorter struct did not know is absent, whatever lies there. */
Test(registry, older_struct) {
    zoo_load("older_struct");
    const tn_op *op = tni_registry_find(zoo_runtime, "op", "older")->entry->impl;
    cr_expect_str_eq(op->doc, "Older.");
    cr_expect_not_null((void *)(uintptr_t)op->infer);
    cr_expect(op->gradient == NULL);
    cr_expect_eq(op->struct_size, TN_STRUCT_END(tn_op, infer));
    const tn_kernel *kernel = tni_registry_find(zoo_runtime, "kernel", "older.cpu")->entry->impl;
    cr_expect(kernel->run != NULL);
    cr_expect_null(kernel->attributes);
    cr_expect_eq(kernel->attribute_count, 0u);
}

Test(registry, wide_entries_and_a_short_table) {
    zoo_load("wide_entries");
    cr_expect_str_eq(provider("op", "wide1"), "wide_entries");
    cr_expect_str_eq(provider("op", "wide2"), "wide_entries");
}

/* Many. */

Test(registry, entries_are_in_the_order_of_their_names) {
    zoo_load("functions");
    static const char *const names[] = {"add",   "negate", "pass", "rank",  "same",
                                        "scale", "sum",    "tail", "touch", "touched"};
    const uint32_t count = tni_registry_count(zoo_runtime, "function");
    cr_assert_eq(count, 10u);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_str_eq(tni_registry_get(zoo_runtime, "function", i)->entry->name, names[i]);
    }
    cr_expect_null(tni_registry_get(zoo_runtime, "function", count));
}

/* The sizes that a plugin must reach are those of the fields that the headers call required. */
Test(registry, required_sizes) {
    cr_expect_eq(tni_kinds[TNI_KIND_OP].required_size, TN_STRUCT_END(tn_op, infer));
    cr_expect_eq(tni_kinds[TNI_KIND_KERNEL].required_size, TN_STRUCT_END(tn_kernel, run));
    for (uint32_t kind = 0; kind < TNI_KIND_COUNT; kind++) {
        cr_expect_leq(tni_kinds[kind].required_size, tni_kinds[kind].known_size);
        cr_expect_eq(tni_kind_find(tni_kinds[kind].name), kind);
    }
}
