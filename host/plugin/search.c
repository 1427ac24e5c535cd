/* Finding plugins: directories, TENON_PLUGIN_PATH, the installed directory. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"
#include "plugin/ledger.h"
#include "plugin/load.h"

#ifndef TENON_PLUGIN_DIRECTORY
#error "the build says where plugins are installed: TENON_PLUGIN_DIRECTORY"
#endif

const char *tn_plugin_installed_directory(void) {
    return TENON_PLUGIN_DIRECTORY;
}

typedef struct name_list {
    char **names;
    uint32_t count, capacity;
} name_list;

static void finish_names(name_list *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        tni_free(list->names[i]);
    }
    tni_free(list->names);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_in_so(const char *name) {
    const size_t size = strlen(name);
    return size > 3 && strcmp(name + size - 3, ".so") == 0;
}

static tn_status add_name(name_list *list, const char *name) {
    TNI_TRY(tni_grow((void **)&list->names, &list->capacity, list->count + 1, sizeof(char *)));
    list->names[list->count] = tni_copy_text(name);
    if (list->names[list->count] == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    list->count++;
    return TN_OK;
}

/* The names of the "*.so" files of a directory, sorted, so that one order holds everywhere. */
static tn_status list_directory(const char *path, name_list *out_list) {
    DIR *directory = opendir(path);
    if (directory == NULL) {
        const int error = errno;
        char text[128];
        return tni_fail(error == ENOENT || error == ENOTDIR ? TN_NOT_FOUND : TN_IO,
                        "the directory cannot be read: %s", strerror_r(error, text, sizeof text));
    }
    tn_status status = TN_OK;
    for (struct dirent *item = readdir(directory); status == TN_OK && item != NULL;
         item = readdir(directory)) {
        if (ends_in_so(item->d_name)) {
            status = add_name(out_list, item->d_name);
        }
    }
    closedir(directory);
    if (out_list->count > 0) {
        qsort(out_list->names, out_list->count, sizeof out_list->names[0], compare_names);
    }
    return status;
}

/* A refused file is no failure: it is in the ledger. Running out of memory is one. */
static tn_status load_names(tni_load *load, const char *path, const name_list *list,
                            uint32_t *out_count) {
    for (uint32_t i = 0; i < list->count; i++) {
        tni_text file = {0};
        tni_text_add(&file, "%s/%s", path, list->names[i]);
        tni_plugin *plugin;
        bool is_new = false;
        tn_status status = tni_text_status(&file);
        if (status == TN_OK) {
            status = tni_load_file(load, tni_text_get(&file), &plugin, &is_new);
        }
        tni_text_finish(&file);
        if (status == TN_OUT_OF_MEMORY) {
            return status;
        }
        *out_count += is_new ? 1 : 0;
    }
    return TN_OK;
}

static tn_status load_directory(tni_load *load, const char *path, uint32_t *out_count) {
    name_list list = {0};
    tn_status status = tni_in(list_directory(path, &list), "plugin directory '%s'", path);
    if (status == TN_OK) {
        status = load_names(load, path, &list, out_count);
    }
    finish_names(&list);
    return status;
}

tn_status tn_plugin_load_directory(tn_runtime *runtime, const char *path, uint32_t flags,
                                   uint32_t *out_count) {
    if (runtime == NULL || path == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "plugin directory: a runtime and a path are needed");
    }
    tni_load load;
    TNI_TRY(tni_in(tni_load_open(&load, runtime, flags), "plugin directory '%s'", path));
    uint32_t count = 0;
    load.postpones = true;
    load.defers = (flags & TN_LOAD_NOW) == 0;
    tn_status status = load_directory(&load, path, &count);
    if (status == TN_OK) {
        status = tni_load_postponed(&load, &count);
    }
    tni_load_close(&load);
    if (status == TN_OK && out_count != NULL) {
        *out_count = count;
    }
    return status;
}

/* Puts a place of the search that was not looked into, into the ledger. */
static void record_place(const tni_load *load, const char *path, tn_status verdict,
                         const char *reason, const char *remedy) {
    const tn_ledger_record line = {.struct_size = TN_LEDGER_RECORD_SIZE,
                                   .verdict = verdict,
                                   .path = path,
                                   .origin = load->origin,
                                   .checks = "directory",
                                   .reason = reason,
                                   .remedy = remedy};
    tni_ledger_add(load->runtime->ledger, &line);
}

/* A place that the user did not name in this call: that it is missing is only worth a record. */
static tn_status search_place(tni_load *load, const char *path, const char *origin) {
    load->origin = origin;
    if (path[0] != '/') {
        record_place(load, path, TN_INVALID_ARGUMENT,
                     "not an absolute path: it would depend on the working directory",
                     "give the path from '/'");
        return TN_OK;
    }
    uint32_t count = 0;
    const tn_status status = load_directory(load, path, &count);
    if (status == TN_OK || status == TN_OUT_OF_MEMORY) {
        return status;
    }
    record_place(load, path, status, tn_error_message(), "");
    return TN_OK;
}

static tn_status search_environment(tni_load *load) {
    /* NULL when the process has raised privileges: its environment is the caller's, who may not
     * have them. */
    const char *list = secure_getenv("TENON_PLUGIN_PATH");
    while (list != NULL && *list != '\0') {
        const size_t size = strcspn(list, ":");
        if (size > 0) { /* an empty part is not the working directory here */
            tni_text path = {0};
            tni_text_add_bytes(&path, list, size);
            tn_status status = tni_text_status(&path);
            if (status == TN_OK) {
                status = search_place(load, tni_text_get(&path), TNI_ORIGIN_ENVIRONMENT);
            }
            tni_text_finish(&path);
            TNI_TRY(status);
        }
        list += size + (list[size] == ':' ? 1 : 0);
    }
    return TN_OK;
}

static tn_status load_named(tni_load *load, const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        uint32_t count = 0;
        return load_directory(load, path, &count);
    }
    tni_plugin *plugin;
    const uint32_t before = load->postponed_count;
    const bool defers = load->defers;
    load->defers = false; /* the user is to be told here if it cannot be loaded */
    const tn_status loaded = tni_load_file(load, path, &plugin, NULL);
    load->defers = defers;
    TNI_TRY(loaded);
    if (load->postponed_count > before) {
        load->postponed[before].is_named = true;
    }
    return TN_OK;
}

static tn_status load_all(tni_load *load, const char *const *paths, uint32_t path_count) {
    for (uint32_t i = 0; i < path_count; i++) {
        TNI_TRY(load_named(load, paths[i]));
    }
    TNI_TRY(search_environment(load));
    TNI_TRY(search_place(load, TENON_PLUGIN_DIRECTORY, TNI_ORIGIN_INSTALLED));
    uint32_t count = 0;
    return tni_load_postponed(load, &count);
}

tn_status tn_plugin_load_all(tn_runtime *runtime, const char *const *paths, uint32_t path_count,
                             uint32_t flags) {
    if (runtime == NULL || (paths == NULL && path_count > 0)) {
        return tni_fail(TN_INVALID_ARGUMENT, "plugin search: a runtime and paths are needed");
    }
    tni_load load;
    TNI_TRY(tni_in(tni_load_open(&load, runtime, flags), "plugin search"));
    load.postpones = true;
    load.defers = (flags & TN_LOAD_NOW) == 0;
    const tn_status status = load_all(&load, paths, path_count);
    tni_load_close(&load);
    return status;
}
