/*
 * What the plugins offer: entries by kind and name, kernels by operator; and the plugins
 * themselves, with the leases that keep them loaded.
 *
 * A plugin whose file tells what it offers waits with that, and is loaded when one of its entries
 * is looked up (load.h). Places in the tables are given when it is met, so that it makes no
 * difference to anybody which plugins were loaded first.
 *
 * A plugin's record and those of its entries live as long as the runtime, so that a pointer to one
 * is always valid; the plugin's code and tables live while it is loaded, and whoever holds a lease
 * may count on that.
 */
#ifndef TENON_PLUGIN_REGISTRY_H
#define TENON_PLUGIN_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

#include <tenon/plugin/host.h>
#include <tenon/plugin/identity.h>
#include <tenon/plugins.h>

#include "base/memory.h"
#include "plugin/kinds.h"

/* Who holds a plugin; each is counted for itself, so that a refused unload can say what there is.
 */
typedef enum tni_holder {
    TNI_HOLDER_GRAPH,
    TNI_HOLDER_SESSION,
    TNI_HOLDER_INVOKE,
    TNI_HOLDER_DEVICE,
    TNI_HOLDER_DATASET,
    TNI_HOLDER_TENSOR,
    TNI_HOLDER_CALL,   /* a call into the plugin that is going on */
    TNI_HOLDER_PLUGIN, /* another plugin that found one of its functions */
    TNI_HOLDER_COUNT
} tni_holder;

typedef struct tni_plugin {
    tn_runtime *runtime;
    const char *name; /* these three are the host's copies */
    const char *version;
    const char *path;
    struct stat file;   /* as it was when the plugin was met */
    const char *origin; /* where from, and the TN_LOAD_… flags of that call */
    uint32_t load_flags;
    atomic_bool is_ready;             /* loaded: the entries can be used */
    bool is_being_loaded;             /* by the thread that has the load section */
    bool has_failed;                  /* when it was to be loaded; it is gone */
    struct tni_plugin *loaded_before; /* the one that became ready before this one */
    void *library;                    /* dlopen's handle */
    const tn_plugin *table; /* the exported symbol; NULL while it waits and once it is unloaded */
    tn_host host;           /* what the plugin is given; host.internal points back here */
    struct tni_entry *entries;
    uint32_t entry_count;
    const struct tni_entry *loader; /* the one that made it of a foreign library, or NULL */
    void *loader_state;
    atomic_uint leases[TNI_HOLDER_COUNT];
    atomic_bool leaving;                     /* being unloaded, or gone: no new leases */
    bool initialised;                        /* init succeeded: fini is due */
    atomic_ullong memory_size, memory_count; /* what it holds of the memory service */
    struct tni_plugin **uses; /* plugins on which it holds a lease TNI_HOLDER_PLUGIN */
    uint32_t use_count, use_capacity;
    tni_arena arena;              /* the texts and records above */
    struct tni_plugin *next_gone; /* in the registry's list of unloaded plugins */
} tni_plugin;

enum { TNI_REFUSAL_SIZE = 512 };

/* One entry of a plugin. */
typedef struct tni_entry {
    /* Its `impl` is as large as this library's struct of the kind: one that an older plugin knew
     * shorter was copied and filled up with zeros. */
    const tn_entry *entry; /* `impl` is NULL while the plugin waits */
    tni_plugin *plugin;
    const char *texts[TNI_KIND_TEXTS]; /* of the impl, see kinds.h; NULL: none */

    /* The registry's own: */
    tn_entry own;                    /* what `entry` points to */
    uint32_t kind;                   /* tni_kind_id; TNI_KIND_COUNT when the kind is not known */
    const char *skipped;             /* why it is not used, or NULL */
    struct tni_entry *overrides;     /* the entry whose place it has taken */
    struct tni_entry *overridden_by; /* the entry that has taken its place */
    const char *victim_state;        /* "overridden by PLUGIN", for the entry that it overrides */
} tni_entry;

/* NULL when there is none. Of several kernels with one name, the first in registration order.
 * Loads the plugin if it waits; one that cannot be loaded has no entries any more. */
const tni_entry *tni_registry_find(const tn_runtime *runtime, const char *kind, const char *name);

/* All active entries of a kind in the order of their names. Loads all plugins that have any. */
uint32_t tni_registry_count(const tn_runtime *runtime, const char *kind);
const tni_entry *tni_registry_get(const tn_runtime *runtime, const char *kind, uint32_t index);

/* The same without loading any: a name and texts, until the entry has been made ready. NULL behind
 * the last. */
const tni_entry *tni_registry_peek(const tn_runtime *runtime, const char *kind, uint32_t index);

/* The kernels that compute operator `op`, in the order they were registered, ready or not. The
 * array is never written to again and lives as long as the runtime; a kernel that is registered
 * later is not in it. */
const tni_entry *const *tni_registry_kernels(const tn_runtime *runtime, const char *op,
                                             uint32_t *out_count);

/* Loads the entry's plugin if it waits. False when that fails: the entry is then gone. */
bool tni_entry_make_ready(const tni_entry *entry);

static inline const char *tni_kernel_op(const tni_entry *entry) {
    return entry->texts[0];
}
static inline const char *tni_kernel_target(const tni_entry *entry) {
    return entry->texts[1];
}
/* NULL: none. */
static inline const char *tni_format_endings(const tni_entry *entry) {
    return entry->texts[0];
}

/* What to add to the words that nobody offers it: "", or that a plugin did, which could not be
 * loaded. Lives in `buffer`. */
const char *tni_registry_refusal(const tn_runtime *runtime, const char *kind, const char *name,
                                 char buffer[TNI_REFUSAL_SIZE]);

/* Takes a lease. BUSY when the plugin is being unloaded or gone. */
tn_status tni_plugin_acquire(tni_plugin *plugin, tni_holder holder);
void tni_plugin_release(tni_plugin *plugin, tni_holder holder);

/* The loaded plugin of that name, or NULL. */
tni_plugin *tni_plugin_find(const tn_runtime *runtime, const char *name);

static inline tni_plugin *tni_plugin_of(const tn_host *host) {
    return (tni_plugin *)host->internal;
}

/* For the loader. */

typedef struct tni_registry tni_registry;

tn_status tni_registry_create(tni_registry **out_registry);
/* Frees every record of a plugin, too; their code is not called any more. */
void tni_registry_destroy(tn_runtime *runtime);

/* Makes a staged plugin and its active entries visible, all or none: ready if its table is there,
 * waiting otherwise. */
tn_status tni_registry_commit(tn_runtime *runtime, tni_plugin *plugin);
/* From waiting to ready. */
void tni_registry_set_ready(tn_runtime *runtime, tni_plugin *plugin);
/* Takes them out again. The plugin's record is kept until the runtime ends. */
void tni_registry_withdraw(tn_runtime *runtime, tni_plugin *plugin);

/* Gives `user` a lease on `used` that ends with `user`. Once for each pair. */
tn_status tni_registry_add_use(tni_plugin *user, tni_plugin *used);
void tni_registry_end_uses(tni_plugin *user);

/* The lock of the plugin list and the tables, for readers of more than one thing. */
void tni_registry_lock_shared(const tn_runtime *runtime);
void tni_registry_unlock(const tn_runtime *runtime);

#endif
