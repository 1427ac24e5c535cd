#include "zoo.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

tn_runtime *zoo_runtime;
char zoo_directory[ZOO_PATH];
char zoo_log[ZOO_LOG];

static tni_arena texts;

static void keep_log(void *context, uint32_t level, const char *source, const char *message) {
    (void)context;
    const size_t used = strlen(zoo_log);
    snprintf(zoo_log + used, sizeof zoo_log - used, "%u %s: %s\n", level, source, message);
}

void zoo_begin(void) {
    char template[] = "/tmp/tenon-contract-XXXXXX";
    char *resolved = mkdtemp(template) != NULL ? realpath(template, NULL) : NULL;
    cr_assert_not_null(resolved, "a private directory cannot be made");
    snprintf(zoo_directory, sizeof zoo_directory, "%s", resolved);
    free(resolved);
    umask(022);
    const tn_runtime_options options = {.struct_size = TN_RUNTIME_OPTIONS_SIZE, .log = keep_log};
    cr_assert_eq(tn_runtime_create(&options, &zoo_runtime), TN_OK, "%s", tn_error_message());
}

/* A test may leave files and one level of directories. */
static void remove_directory(const char *path) {
    DIR *directory = opendir(path);
    for (struct dirent *item = directory != NULL ? readdir(directory) : NULL; item != NULL;
         item = readdir(directory)) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) {
            continue;
        }
        const char *inner = zoo_text("%s/%s", path, item->d_name);
        if (unlink(inner) != 0) {
            remove_directory(inner);
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    rmdir(path);
}

void zoo_end(void) {
    tn_runtime_destroy(zoo_runtime);
    remove_directory(zoo_directory);
    tni_arena_finish(&texts);
}

const char *zoo_text(const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tni_arena_text(&texts, text);
}

const char *zoo_path(const char *name) {
    return zoo_text("%s/%s", zoo_directory, name);
}

char *zoo_read(const char *path, size_t *out_size) {
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = tni_arena_allocate(&texts, size + 1, 1);
    cr_assert_eq(fread(bytes, 1, size, file), size);
    fclose(file);
    *out_size = size;
    return bytes;
}

void zoo_write(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file, "%s cannot be written", path);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

const char *zoo_copy_as(const char *name, const char *as) {
    size_t size;
    const char *from = zoo_text("%s/%s.so", ZOO_PLUGINS, name);
    const char *to = zoo_path(as);
    const char *bytes = zoo_read(from, &size);
    zoo_write(to, bytes, size);
    cr_assert_eq(chmod(to, 0755), 0);
    return to;
}

const char *zoo_copy(const char *name) {
    return zoo_copy_as(name, zoo_text("%s.so", name));
}

tni_plugin *zoo_load(const char *name) {
    const char *loaded = NULL;
    const char *path = zoo_copy(name);
    cr_assert_eq(tn_plugin_load(zoo_runtime, path, 0, &loaded), TN_OK, "%s", tn_error_message());
    return tni_plugin_find(zoo_runtime, loaded);
}

tn_ledger_record zoo_last_record(void) {
    tn_ledger_record record = {.struct_size = TN_LEDGER_RECORD_SIZE};
    const uint32_t count = tn_ledger_count(zoo_runtime);
    cr_assert_gt(count, 0u);
    cr_assert_eq(tn_ledger_get(zoo_runtime, count - 1, &record), TN_OK);
    return record;
}

/* How many things there are to find, of all kinds that this library knows. */
static uint32_t registered(void) {
    static const char *const kinds[] = {"op", "kernel", "device", "format", "dataset", "function"};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        count += tni_registry_count(zoo_runtime, kinds[i]);
    }
    return count;
}

void zoo_expect_refused(const char *path, uint32_t flags, tn_status status, const char *reason,
                        const char *remedy) {
    const uint32_t plugins = tn_plugin_count(zoo_runtime);
    const uint32_t entries = registered();
    const char *name = "untouched";
    const tn_status got = tn_plugin_load(zoo_runtime, path, flags, &name);
    cr_expect_eq(got, status, "%s: %s, expected %s", path, tn_status_name(got),
                 tn_status_name(status));
    const char *beginning = zoo_text("plugin '%s': %s (remedy: %s", path, reason, remedy);
    cr_expect(strncmp(tn_error_message(), beginning, strlen(beginning)) == 0,
              "message:  %s\nexpected: %s…", tn_error_message(), beginning);
    cr_expect_str_eq(name, "untouched");
    const tn_ledger_record record = zoo_last_record();
    cr_expect_eq(record.verdict, status);
    cr_expect_str_eq(record.path, path);
    cr_expect_str_eq(record.reason, reason);
    cr_expect(strncmp(record.remedy, remedy, strlen(remedy)) == 0, "%s", record.remedy);
    cr_expect_eq(tn_plugin_count(zoo_runtime), plugins);
    cr_expect_eq(registered(), entries, "something stayed registered");
}

void zoo_expect_bad(const char *name, tn_status status, const char *reason, const char *remedy) {
    zoo_expect_refused(zoo_copy(name), 0, status, reason, remedy);
}

const char *zoo_state(const char *plugin, const char *kind, const char *name, uint32_t version) {
    for (uint32_t i = 0; i < tn_plugin_count(zoo_runtime); i++) {
        tn_plugin_info info = {.struct_size = TN_PLUGIN_INFO_SIZE};
        cr_assert_eq(tn_plugin_get(zoo_runtime, i, &info), TN_OK);
        for (uint32_t j = 0; j < info.entry_count && strcmp(info.name, plugin) == 0; j++) {
            tn_entry_info entry = {.struct_size = TN_ENTRY_INFO_SIZE};
            cr_assert_eq(tn_plugin_entry(zoo_runtime, i, j, &entry), TN_OK);
            if (strcmp(entry.kind, kind) == 0 && strcmp(entry.name, name) == 0 &&
                entry.version == version) {
                return entry.state;
            }
        }
    }
    return NULL;
}
