#include "plugin/candidate.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "plugin/contract_check.h"
#include "plugin/elf_note.h"
#include "plugin/elf_offers.h"
#include "plugin/library.h"
#include "plugin/stage.h"
#include "plugin/trust.h"

/* The steps. Each that fails has left the error text, and perhaps a remedy. */

static tni_plugin *find_by_file(const tn_runtime *runtime, const struct stat *status) {
    tni_plugin *found = NULL;
    tni_registry_lock_shared(runtime);
    for (uint32_t i = 0; i < runtime->plugin_count && found == NULL; i++) {
        tni_plugin *plugin = runtime->plugins[i];
        if (tni_is_same_file(&plugin->file, status)) {
            found = plugin;
        }
    }
    tni_registry_unlock(runtime);
    return found;
}

static void set_remedy(tni_candidate *c, const char *remedy) {
    snprintf(c->remedy, sizeof c->remedy, "%s", remedy);
}

static tn_status step_file(tni_candidate *c) {
    const tn_status status = tni_plugin_file_open(c->path, &c->file);
    if (status != TN_OK) {
        set_remedy(c, status == TN_CORRUPT ? tni_note_remedy(status)
                                           : "check the path and the permissions on it");
        return status;
    }
    c->plugin = find_by_file(c->runtime, &c->file.status);
    c->was_met = c->plugin != NULL;
    return TN_OK;
}

static tn_status step_note(tni_candidate *c) {
    const tn_status status = tni_plugin_file_identity(&c->file, &c->identity);
    set_remedy(c, tni_note_remedy(status));
    return status;
}

/* A library without a note: whether some loader knows what it is. */
static tn_status step_loader(tni_candidate *c) {
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

static tn_status step_trust(tni_candidate *c) {
    if ((c->load->flags & TN_LOAD_ALLOW_WRITABLE) != 0) {
        return TN_OK;
    }
    return tni_trust_check(c->file.real_path, &c->file.status, c->remedy, sizeof c->remedy);
}

static tn_status step_contract(tni_candidate *c) {
    const tni_contract host = tni_contract_of_host(c->runtime);
    if (tni_contract_check(&c->identity, &host) == TN_OK) {
        return TN_OK;
    }
    set_remedy(c, c->identity.remedy);
    return tni_fail(TN_INCOMPATIBLE, "%s", c->identity.reason);
}

static tn_status step_name(tni_candidate *c) {
    const tni_plugin *other = tni_plugin_find(c->runtime, c->identity.name);
    if (other == NULL) {
        return TN_OK;
    }
    set_remedy(c, "unload it first, or give one of the two another name");
    const bool is_found = strcmp(c->load->origin, TNI_ORIGIN_USER) != 0;
    return tni_fail(TN_ALREADY_EXISTS, "%sa plugin named '%s' (version %s, %s) is loaded already",
                    is_found ? "passed over: " : "", other->name, other->version, other->path);
}

static tn_status make_record(tni_candidate *c) {
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
    plugin->file = c->file.status;
    plugin->origin = c->load->origin;
    plugin->load_flags = c->load->flags;
    plugin->host = (tn_host){.struct_size = TN_HOST_SIZE,
                             .contract_major = TN_CONTRACT_MAJOR,
                             .contract_minor = TN_CONTRACT_MINOR,
                             .name = "tenon",
                             .version = tn_version(),
                             .find_service = tni_find_service,
                             .internal = plugin};
    return TN_OK;
}

/* What the file says that it offers, if that can be told from it; otherwise the table will say. */
static tn_status step_offers(tni_candidate *c) {
    tni_offer *offers;
    uint32_t count;
    TNI_TRY(make_record(c));
    const tn_status status = tni_offers_read(c->file.descriptor, (uint64_t)c->file.status.st_size,
                                             &c->plugin->arena, &offers, &count);
    if (status != TN_OK) {
        return status == TN_OUT_OF_MEMORY ? status : TN_OK;
    }
    set_remedy(c, "correct the entry in the plugin's source");
    return tni_stage_offers(c->plugin, offers, count, c->load->flags, c->remedy, sizeof c->remedy);
}

/* Between being met and being loaded. */
static tn_status step_unchanged(tni_candidate *c) {
    if (tni_is_unchanged(&c->file.status, &c->plugin->file)) {
        return TN_OK;
    }
    set_remedy(c, "start again, or unload it and load the new build");
    return tni_fail(TN_FAILED_PRECONDITION, "the file has changed since it was looked at");
}

static tn_status step_open(tni_candidate *c) {
    if (c->plugin == NULL) {
        TNI_TRY(make_record(c));
    }
    return tni_library_open(&c->file, &c->plugin->library, c->remedy, sizeof c->remedy);
}

static tn_status step_load(tni_candidate *c) {
    set_remedy(c, "correct the library");
    return tni_foreign_load(&c->foreign, c->plugin);
}

static tn_status step_table(tni_candidate *c) {
    set_remedy(c, "let the macro TN_PLUGIN write note and table");
    return tni_library_table(c->plugin->library, &c->identity, &c->plugin->table);
}

static tn_status step_entries(tni_candidate *c) {
    set_remedy(c, "correct the entry in the plugin's source");
    return tni_stage_table(c->plugin, c->load->flags, c->remedy, sizeof c->remedy);
}

static tn_status step_init(tni_candidate *c) {
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

static tn_status step_commit(tni_candidate *c) {
    return tni_registry_commit(c->runtime, c->plugin);
}

static tn_status step_ready(tni_candidate *c) {
    tni_registry_set_ready(c->runtime, c->plugin);
    return TN_OK;
}

typedef struct step {
    const char *name;
    tn_status (*take)(tni_candidate *c);
} step;

#define STEPS(array) (array), sizeof(array) / sizeof(array)[0]

static const step of_file[] = {{"file", step_file}};
static const step of_note[] = {{"note", step_note}};
static const step of_plugin[] = {{"trust", step_trust},
                                 {"contract", step_contract},
                                 {"name", step_name},
                                 {"offers", step_offers}};
static const step of_foreign[] = {
    {"loader", step_loader}, {"trust", step_trust}, {"name", step_name}};
static const step to_wait[] = {{"commit", step_commit}};
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
/* Of a plugin that has waited; its file may have been replaced meanwhile. */
static const step of_waiting[] = {{"note", step_note},
                                  {"trust", step_trust},
                                  {"contract", step_contract},
                                  {"unchanged", step_unchanged}};
static const step to_wake[] = {{"open", step_open},
                               {"table", step_table},
                               {"entries", step_entries},
                               {"init", step_init},
                               {"ready", step_ready}};

static tn_status take_steps(tni_candidate *c, const step *steps, size_t count) {
    tn_status status = TN_OK;
    for (size_t i = 0; status == TN_OK && i < count; i++) {
        tni_text_add(&c->checks, "%s%s", c->checks.size > 0 ? ", " : "", steps[i].name);
        status = steps[i].take(c);
    }
    return status;
}

/* Undoes what the steps with code did before one failed. Only init and what makes it visible come
 * after entries. */
static void undo(tni_plugin *plugin) {
    if (plugin->initialised) {
        tni_plugin_end(plugin);
    }
    tni_foreign_unload(plugin);
    tni_registry_end_uses(plugin);
    tni_library_close(plugin->library);
    plugin->library = NULL;
    plugin->table = NULL;
}

/* For a plugin that nobody else has seen. */
static void discard(tni_candidate *c) {
    tni_plugin *plugin = c->plugin;
    c->plugin = NULL;
    if (plugin != NULL) {
        undo(plugin);
        tni_arena_finish(&plugin->arena);
        tni_free(plugin);
    }
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

/* Destructors must not take the text along. */
static void after_failure(tni_candidate *c, void (*end)(tni_candidate *c)) {
    char text[4096];
    snprintf(text, sizeof text, "%s", tn_error_message());
    end(c);
    tni_error_set("%s", text);
}

static void undo_candidate(tni_candidate *c) {
    if (c->plugin != NULL) { /* there was memory for its record */
        undo(c->plugin);
    }
}

static tn_status run_plugin(tni_candidate *c, const step *steps, size_t count) {
    TNI_TRY(save_process_state(c->load));
    const tn_status status = take_steps(c, steps, count);
    if (status != TN_OK) {
        after_failure(c, undo_candidate);
    }
    tni_process_state_restore(&c->load->before, c->changed, sizeof c->changed);
    return status;
}

static tn_status take_foreign(tni_candidate *c) {
    TNI_TRY(take_steps(c, STEPS(of_foreign)));
    return run_plugin(c, STEPS(with_foreign_code));
}

static tn_status take_plugin(tni_candidate *c) {
    TNI_TRY(take_steps(c, STEPS(of_plugin)));
    return c->may_wait && c->plugin->entries != NULL ? take_steps(c, STEPS(to_wait))
                                                     : run_plugin(c, STEPS(with_plugin_code));
}

tn_status tni_candidate_take(tni_candidate *c) {
    TNI_TRY(take_steps(c, STEPS(of_file)));
    if (c->was_met) {
        return TN_OK;
    }
    tn_status status = take_steps(c, STEPS(of_note));
    if (status == TN_NOT_FOUND) {
        status = take_foreign(c);
    } else if (status == TN_OK) {
        status = take_plugin(c);
    }
    if (status != TN_OK) {
        after_failure(c, discard);
    }
    return status;
}

/* What the file is called now need not be what was met. */
tn_status tni_candidate_wake(tni_candidate *c) {
    tn_status status = tni_plugin_file_open_exactly(c->path, &c->file);
    if (status != TN_OK) {
        set_remedy(c, "check the path and the permissions on it");
        return status;
    }
    status = take_steps(c, STEPS(of_waiting));
    return status == TN_OK ? run_plugin(c, STEPS(to_wake)) : status;
}

void tni_candidate_finish(tni_candidate *c) {
    tni_foreign_finish(&c->foreign);
    tni_plugin_file_close(&c->file);
    tni_text_finish(&c->checks);
}
