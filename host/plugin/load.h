/*
 * Loading, one [load] call at a time.
 *
 * Plugin code runs during a load (constructors, init), and no lock may be held then. So the section
 * is a flag that its thread has set; other threads wait for it to be cleared, and the same thread,
 * coming again from inside a plugin, is refused instead of waiting for itself. Only plugins that
 * wait may be loaded from there: an init may use what others offer.
 */
#ifndef TENON_PLUGIN_LOAD_H
#define TENON_PLUGIN_LOAD_H

#include "plugin/process_state.h"
#include "plugin/runtime.h"

/* Where a candidate comes from; the ledger's words. */
#define TNI_ORIGIN_USER "named by the user"
#define TNI_ORIGIN_ENVIRONMENT "TENON_PLUGIN_PATH"
#define TNI_ORIGIN_INSTALLED "installed"

/* What the ledger says of a plugin that waits. */
#define TNI_REASON_WAITS "taken: it is loaded when something that it offers is wanted"

/* FAILED_PRECONDITION on the thread that is in the section already. */
tn_status tni_load_begin(tn_runtime *runtime);
void tni_load_end(tn_runtime *runtime);

/* One section that loads: what holds for all of its candidates. */
typedef struct tni_load {
    tn_runtime *runtime;
    const char *origin;
    uint32_t flags;
    /* Taken before the first plugin's code runs, and put back after each: one look at the process
     * for each plugin, not two. */
    tni_process_state before;
    bool is_saved;
    /* Libraries that no loader there is recognises wait until the search has found all loaders. */
    bool postpones;
    bool defers; /* plugins whose file tells what they offer wait until that is wanted */
    struct tni_postponed *postponed;
    uint32_t postponed_count, postponed_capacity;
} tni_load;

typedef struct tni_postponed {
    char *path;
    const char *origin;
    bool is_named; /* by the user: its failure is one of the call */
} tni_postponed;

/* Begins the section, too. After a failure it must not be closed. */
tn_status tni_load_open(tni_load *load, tn_runtime *runtime, uint32_t flags);
void tni_load_close(tni_load *load);

/* Loads one file and records what became of it. A file that is loaded already is a success;
 * *out_is_new (may be NULL) tells. While the load postpones, a library that needs a loader is a
 * success, too, with *out_plugin NULL; tni_load_postponed comes back to it. */
tn_status tni_load_file(tni_load *load, const char *path, tni_plugin **out_plugin,
                        bool *out_is_new);

/* Loads what was postponed. A refused file is no failure unless the user named it. */
tn_status tni_load_postponed(tni_load *load, uint32_t *out_count);

/* Loads a plugin that waits, on the thread that asks for one of its entries, which may be inside
 * another plugin's init. One that cannot be loaded is withdrawn, and the ledger says why; when
 * memory runs out, or on the thread that is loading it just now, it waits on. */
tn_status tni_load_waiting(tni_plugin *plugin);

/* Ends a plugin, within the section or while the runtime ends: fini, its leases on others. The
 * process state is put back behind it. */
void tni_plugin_end(tni_plugin *plugin);

#endif
