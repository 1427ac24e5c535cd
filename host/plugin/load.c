#include "plugin/load.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "plugin/contract_check.h"
#include "plugin/elf_note.h"
#include "plugin/foreign.h"
#include "plugin/ledger.h"
#include "plugin/library.h"
#include "plugin/plugin_file.h"
#include "plugin/process_state.h"
#include "plugin/stage.h"
#include "plugin/trust.h"

/* One candidate on its way. */
typedef struct candidate {
    tni_load *load;
    tn_runtime *runtime;
    const char *path; /* as it was given */
    tni_plugin_file file;
    tn_identity identity;
    tni_foreign foreign; /* has a loader for a library without a note */
    tni_plugin *plugin;  /* the result; not committed before the last step */
    bool was_loaded;     /* an earlier load has this file */
    bool is_postponed;   /* it needs a loader that may still come */
    tni_text checks;     /* names of the steps taken */
    char remedy[sizeof((tn_identity *)0)->remedy];
    char changed[256]; /* process state that the plugin had changed */
} candidate;

/* The section. */

tn_status tni_load_begin(tn_runtime *runtime) {
    tn_status status = TN_OK;
    pthread_mutex_lock(&runtime->load_lock);
    if (runtime->is_loading && pthread_equal(runtime->loading_thread, pthread_self())) {
        status = tni_fail(TN_FAILED_PRECONDITION,
                          "plugins cannot be loaded or unloaded from inside a plugin's init or "
                          "fini, or from a log callback meanwhile");
    } else {
        while (runtime->is_loading) {
            pthread_cond_wait(&runtime->load_ended, &runtime->load_lock);
        }
        runtime->is_loading = true;
        runtime->loading_thread = pthread_self();
    }
    pthread_mutex_unlock(&runtime->load_lock);
    return status;
}

void tni_load_end(tn_runtime *runtime) {
    pthread_mutex_lock(&runtime->load_lock);
    runtime->is_loading = false;
    pthread_cond_signal(&runtime->load_ended);
    pthread_mutex_unlock(&runtime->load_lock);
}

tn_status tni_load_open(tni_load *load, tn_runtime *runtime, uint32_t flags) {
    load->runtime = runtime;
    load->origin = TNI_ORIGIN_USER;
    load->flags = flags;
    load->is_saved = false;
    load->postpones = false;
    load->postponed = NULL;
    load->postponed_count = load->postponed_capacity = 0;
    return tni_load_begin(runtime);
}

void tni_load_close(tni_load *load) {
    if (load->is_saved) {
        tni_process_state_finish(&load->before);
    }
    for (uint32_t i = 0; i < load->postponed_count; i++) {
        tni_free(load->postponed[i].path);
    }
    tni_free(load->postponed);
    tni_load_end(load->runtime);
}

/* The steps. Each that fails has left the error text, and perhaps a remedy. */

static tni_plugin *find_by_file(const tn_runtime *runtime, const struct stat *status) {
    tni_plugin *found = NULL;
    tni_registry_lock_shared(runtime);
    for (uint32_t i = 0; i < runtime->plugin_count && found == NULL; i++) {
        tni_plugin *plugin = runtime->plugins[i];
        if (plugin->file_device == status->st_dev && plugin->file_inode == status->st_ino) {
            found = plugin;
        }
    }
    tni_registry_unlock(runtime);
    return found;
}

static void set_remedy(candidate *c, const char *remedy) {
    snprintf(c->remedy, sizeof c->remedy, "%s", remedy);
}

static tn_status step_file(candidate *c) {
    const tn_status status = tni_plugin_file_open(c->path, &c->file);
    if (status != TN_OK) {
        set_remedy(c, status == TN_CORRUPT ? tni_note_remedy(status)
                                           : "check the path and the permissions on it");
        return status;
    }
    c->plugin = find_by_file(c->runtime, &c->file.status);
    c->was_loaded = c->plugin != NULL;
    return TN_OK;
}

static tn_status step_note(candidate *c) {
    const tn_status status = tni_plugin_file_identity(&c->file, &c->identity);
    set_remedy(c, tni_note_remedy(status));
    return status;
}

/* A library without a note: whether some loader knows what it is. */
static tn_status step_loader(candidate *c) {
    tn_status status = tni_foreign_recognise(c->runtime, &c->file, &c->foreign, &c->identity);
    if (status == TN_NOT_FOUND) {
        c->is_postponed = c->load->postpones;
        return TN_CORRUPT; /* not a plugin, and what that takes is the remedy already */
    }
    c->remedy[0] = '\0';
    if (status == TN_OK) {
        status = tni_foreign_verdict(&c->foreign, c->remedy, sizeof c->remedy);
    }
    return status;
}

static tn_status step_trust(candidate *c) {
    if ((c->load->flags & TN_LOAD_ALLOW_WRITABLE) != 0) {
        return TN_OK;
    }
    return tni_trust_check(c->file.real_path, &c->file.status, c->remedy, sizeof c->remedy);
}

static tn_status step_contract(candidate *c) {
    const tni_contract host = tni_contract_of_host(c->runtime);
    if (tni_contract_check(&c->identity, &host) == TN_OK) {
        return TN_OK;
    }
    set_remedy(c, c->identity.remedy);
    return tni_fail(TN_INCOMPATIBLE, "%s", c->identity.reason);
}

static tn_status step_name(candidate *c) {
    const tni_plugin *other = tni_plugin_find(c->runtime, c->identity.name);
    if (other == NULL) {
        return TN_OK;
    }
    set_remedy(c, "unload it first, or give one of the two another name");
    const bool is_found = strcmp(c->load->origin, TNI_ORIGIN_USER) != 0;
    return tni_fail(TN_ALREADY_EXISTS, "%sa plugin named '%s' (version %s, %s) is loaded already",
                    is_found ? "passed over: " : "", other->name, other->version, other->path);
}

static tn_status make_record(candidate *c) {
    tni_plugin *plugin = tni_allocate(1, sizeof *plugin);
    if (plugin == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    c->plugin = plugin;
    plugin->runtime = c->runtime;
    plugin->name = tni_arena_text(&plugin->arena, c->identity.name);
    plugin->version = tni_arena_text(&plugin->arena, c->identity.version);
    plugin->path = tni_arena_text(&plugin->arena, c->file.real_path);
    if (plugin->name == NULL || plugin->version == NULL || plugin->path == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    plugin->file_device = c->file.status.st_dev;
    plugin->file_inode = c->file.status.st_ino;
    plugin->host = (tn_host){.struct_size = TN_HOST_SIZE,
                             .contract_major = TN_CONTRACT_MAJOR,
                             .contract_minor = TN_CONTRACT_MINOR,
                             .name = "tenon",
                             .version = tn_version(),
                             .find_service = tni_find_service,
                             .internal = plugin};
    return TN_OK;
}

static tn_status step_open(candidate *c) {
    TNI_TRY(make_record(c));
    return tni_library_open(&c->file, &c->plugin->library, c->remedy, sizeof c->remedy);
}

static tn_status step_load(candidate *c) {
    set_remedy(c, "correct the library");
    return tni_foreign_load(&c->foreign, c->plugin);
}

static tn_status step_table(candidate *c) {
    set_remedy(c, "let the macro TN_PLUGIN write note and table");
    return tni_library_table(c->plugin->library, &c->identity, &c->plugin->table);
}

static tn_status step_entries(candidate *c) {
    set_remedy(c, "correct the entry in the plugin's source");
    return tni_stage_entries(c->plugin, c->load->flags, c->remedy, sizeof c->remedy);
}

static tn_status step_init(candidate *c) {
    const tn_plugin *table = c->plugin->table;
    if (TN_HAS_FIELD(tn_plugin, table, init) && table->init != NULL) {
        tni_error_clear();
        const tn_status status = tni_plugin_status(table->init(&c->plugin->host));
        if (status != TN_OK) {
            set_remedy(c, "cure what its init reports, or leave the plugin out");
            return tni_in(status, "init failed");
        }
    }
    c->plugin->initialised = true;
    return TN_OK;
}

static tn_status step_commit(candidate *c) {
    return tni_registry_commit(c->runtime, c->plugin);
}

typedef struct step {
    const char *name;
    tn_status (*take)(candidate *c);
} step;

#define STEPS(array) (array), sizeof(array) / sizeof(array)[0]

static const step of_file[] = {{"file", step_file}};
static const step of_note[] = {{"note", step_note}};
static const step of_plugin[] = {
    {"trust", step_trust}, {"contract", step_contract}, {"name", step_name}};
static const step of_foreign[] = {
    {"loader", step_loader}, {"trust", step_trust}, {"name", step_name}};
/* From here on the library's own code runs. */
static const step with_plugin_code[] = {{"open", step_open},
                                        {"table", step_table},
                                        {"entries", step_entries},
                                        {"init", step_init},
                                        {"commit", step_commit}};
static const step with_foreign_code[] = {{"open", step_open},
                                         {"load", step_load},
                                         {"entries", step_entries},
                                         {"init", step_init},
                                         {"commit", step_commit}};

static tn_status take_steps(candidate *c, const step *steps, size_t count) {
    tn_status status = TN_OK;
    for (size_t i = 0; status == TN_OK && i < count; i++) {
        tni_text_add(&c->checks, "%s%s", c->checks.size > 0 ? ", " : "", steps[i].name);
        status = steps[i].take(c);
    }
    return status;
}

/* Undoes what the steps with code did before one failed. Only init and commit come after entries.
 */
static void discard(candidate *c) {
    tni_plugin *plugin = c->plugin;
    c->plugin = NULL;
    if (plugin == NULL) {
        return;
    }
    if (plugin->initialised) {
        tni_plugin_end(plugin);
    }
    tni_foreign_unload(plugin);
    tni_registry_end_uses(plugin);
    tni_library_close(plugin->library);
    tni_arena_finish(&plugin->arena);
    tni_free(plugin);
}

static tn_status save_process_state(tni_load *load) {
    if (load->is_saved) {
        return TN_OK;
    }
    const tn_status status = tni_process_state_save(&load->before);
    load->is_saved = status == TN_OK;
    if (status != TN_OK) {
        tni_process_state_finish(&load->before);
    }
    return status;
}

static tn_status run_plugin(candidate *c, const step *steps, size_t count) {
    TNI_TRY(save_process_state(c->load));
    const tn_status status = take_steps(c, steps, count);
    if (status != TN_OK) {
        /* Its destructors must not take the text along. */
        char text[4096];
        snprintf(text, sizeof text, "%s", tn_error_message());
        discard(c);
        tni_error_set("%s", text);
    }
    tni_process_state_restore(&c->load->before, c->changed, sizeof c->changed);
    return status;
}

static tn_status take_all_steps(candidate *c) {
    TNI_TRY(take_steps(c, STEPS(of_file)));
    if (c->was_loaded) {
        return TN_OK;
    }
    const tn_status status = take_steps(c, STEPS(of_note));
    if (status == TN_NOT_FOUND) {
        TNI_TRY(take_steps(c, STEPS(of_foreign)));
        return run_plugin(c, STEPS(with_foreign_code));
    }
    TNI_TRY(status);
    TNI_TRY(take_steps(c, STEPS(of_plugin)));
    return run_plugin(c, STEPS(with_plugin_code));
}

/* How loud: what the user named is answered by a status; what was found is only told about. */
static void tell(const candidate *c, tn_status status, const char *reason) {
    if (c->changed[0] != '\0') {
        tni_log(c->runtime, TN_LOG_WARNING, "tenon",
                "plugin '%s' (%s) changed %s while it was loaded; it was put back",
                c->identity.name, c->path, c->changed);
    }
    if (status == TN_OK) {
        tni_log(c->runtime, TN_LOG_DEBUG, "tenon", "plugin '%s' (%s): %s", c->plugin->name, c->path,
                reason);
    } else {
        /* Without a name it is not known to be a plugin at all. */
        const bool is_plugin = c->identity.name[0] != '\0' && status != TN_ALREADY_EXISTS;
        tni_log(c->runtime, is_plugin ? TN_LOG_WARNING : TN_LOG_DEBUG, "tenon",
                "plugin '%s' is not loaded: %s", c->path, reason);
    }
}

static void record(const candidate *c, tn_status status) {
    tni_text reason = {0};
    if (status != TN_OK) {
        tni_text_add(&reason, "%s", tn_error_message());
    } else if (c->was_loaded) {
        tni_text_add(&reason, "loaded already from %s", c->plugin->path);
    } else {
        tni_text_add(&reason, "loaded");
    }
    if (c->changed[0] != '\0') {
        tni_text_add(&reason, "; it changed %s, which was put back", c->changed);
    }
    const tn_ledger_record line = {.struct_size = TN_LEDGER_RECORD_SIZE,
                                   .verdict = status,
                                   .path = c->path,
                                   .origin = c->load->origin,
                                   .name = c->was_loaded ? c->plugin->name : c->identity.name,
                                   .version =
                                       c->was_loaded ? c->plugin->version : c->identity.version,
                                   .checks = tni_text_get(&c->checks),
                                   .reason = tni_text_get(&reason),
                                   .remedy = status == TN_OK ? "" : c->remedy};
    tni_ledger_add(c->runtime->ledger, &line);
    tell(c, status, tni_text_get(&reason));
    tni_text_finish(&reason);
}

static tn_status postpone(tni_load *load, const char *path) {
    TNI_TRY(tni_grow((void **)&load->postponed, &load->postponed_capacity,
                     load->postponed_count + 1, sizeof load->postponed[0]));
    char *copy = tni_copy_text(path);
    if (copy == NULL) {
        return TN_OUT_OF_MEMORY;
    }
    load->postponed[load->postponed_count++] =
        (tni_postponed){.path = copy, .origin = load->origin};
    return TN_OK;
}

tn_status tni_load_postponed(tni_load *load, uint32_t *out_count) {
    load->postpones = false;
    for (uint32_t i = 0; i < load->postponed_count; i++) {
        const tni_postponed *item = &load->postponed[i];
        tni_plugin *plugin;
        bool is_new = false;
        load->origin = item->origin;
        const tn_status status = tni_load_file(load, item->path, &plugin, &is_new);
        if (status == TN_OUT_OF_MEMORY || (status != TN_OK && item->is_named)) {
            return status;
        }
        *out_count += is_new ? 1 : 0;
    }
    return TN_OK;
}

tn_status tni_load_file(tni_load *load, const char *path, tni_plugin **out_plugin,
                        bool *out_is_new) {
    candidate c = {.load = load,
                   .runtime = load->runtime,
                   .path = path,
                   .file = TNI_PLUGIN_FILE_NONE,
                   .identity = {.struct_size = TN_IDENTITY_SIZE}};
    const tn_status status = take_all_steps(&c);
    tni_foreign_finish(&c.foreign);
    if (c.is_postponed) {
        tni_plugin_file_close(&c.file);
        tni_text_finish(&c.checks);
        *out_plugin = NULL;
        return postpone(load, path);
    }
    if (status == TN_OUT_OF_MEMORY) {
        c.remedy[0] = '\0'; /* it is not the plugin's fault */
    }
    char text[4096];
    snprintf(text, sizeof text, "%s", tn_error_message());
    record(&c, status);
    tni_plugin_file_close(&c.file);
    tni_text_finish(&c.checks);
    if (status != TN_OK) {
        const bool has_remedy = c.remedy[0] != '\0';
        return tni_fail(status, "plugin '%s': %s%s%s%s", path, text, has_remedy ? " (remedy: " : "",
                        c.remedy, has_remedy ? ")" : "");
    }
    *out_plugin = c.plugin;
    if (out_is_new != NULL) {
        *out_is_new = !c.was_loaded;
    }
    return TN_OK;
}

tn_status tn_plugin_load(tn_runtime *runtime, const char *path, uint32_t flags,
                         const char **out_name) {
    if (runtime == NULL || path == NULL) {
        return tni_fail(TN_INVALID_ARGUMENT, "plugin load: a runtime and a path are needed");
    }
    tni_load load;
    TNI_TRY(tni_in(tni_load_open(&load, runtime, flags), "plugin '%s'", path));
    tni_plugin *plugin;
    const tn_status status = tni_load_file(&load, path, &plugin, NULL);
    if (status == TN_OK && out_name != NULL) {
        *out_name = plugin->name;
    }
    tni_load_close(&load);
    return status;
}
