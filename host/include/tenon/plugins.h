/*
 * Finding, loading, listing and unloading plugins, and the ledger that says why each candidate was
 * taken or refused.
 */
#ifndef TENON_PLUGINS_H
#define TENON_PLUGINS_H

#include <tenon/runtime.h>

/* The plugin's entries that override another plugin's may do so. */
#define TN_LOAD_ALLOW_OVERRIDE 1u
/* The file, or a directory above it, may be writable by others. */
#define TN_LOAD_ALLOW_WRITABLE 2u
/* What is found in directories is loaded at once, not when something of it is wanted. */
#define TN_LOAD_NOW 4u

/* [load] Loads one file: reads its note, checks trust and contract, opens it, checks its table,
 * registers all of its entries or none. A library without a note is shown to the loaders that are
 * there; one of them may make a plugin of it, named after the file. `out_name` (may be NULL)
 * receives the plugin's name, which lives as long as the plugin. A file that is loaded already (by
 * device and inode) is a success.
 *
 * Beside DIRECTORY/NAME.so there may be builds for processors that can more, DIRECTORY/x86-64-v3/
 * NAME.so (AVX2) and DIRECTORY/x86-64-v4/NAME.so (AVX-512); the best that the processor runs is
 * loaded in place of the file.
 *
 * Failures: NOT_FOUND, IO, DENIED (trust), CORRUPT (not a plugin, damaged), INCOMPATIBLE (every
 * mismatch is named), ALREADY_EXISTS (a name is taken; both plugins are named), or what the
 * plugin's init returned. */
TN_API tn_status tn_plugin_load(tn_runtime *runtime, const char *path, uint32_t flags,
                                const char **out_name);

/*
 * [load] Takes every "*.so" of a directory, in the order of their names. A file that is refused is
 * no failure here: it is in the ledger. `out_count` (may be NULL) receives how many were taken.
 *
 * Taken is not loaded: what a plugin offers is read from its file, and it is opened, and its init
 * called, on the first thread that looks up one of its entries. One that cannot be loaded then is
 * withdrawn, with a warning and a record in the ledger; a name that it has kept from another plugin
 * stays without an owner. A plugin whose file does not tell what it offers, or that needs a loader,
 * is loaded at once, and so are all with TN_LOAD_NOW.
 */
TN_API tn_status tn_plugin_load_directory(tn_runtime *runtime, const char *path, uint32_t flags,
                                          uint32_t *out_count);

/* [load] The usual search, in this order: `paths` (files, which are loaded at once, or directories;
 * a failure there is a failure of the call), the directories in TENON_PLUGIN_PATH (separated by
 * ':'; ignored when the process has raised privileges), the installed directory. A library that
 * needs a loader waits until all places have been searched for one. A plugin whose name is loaded
 * already from an earlier place is passed over, and the ledger says so. */
TN_API tn_status tn_plugin_load_all(tn_runtime *runtime, const char *const *paths,
                                    uint32_t path_count, uint32_t flags);

/* [load] Waits up to `timeout_ns` until nothing is made from the plugin any more, then finishes
 * it. BUSY names what still holds it ("2 graphs, 1 device"). `out_closed` (may be NULL) receives 1
 * when the code left memory and 0 when it stays mapped. */
TN_API tn_status tn_plugin_unload(tn_runtime *runtime, const char *name, uint64_t timeout_ns,
                                  int32_t *out_closed);

/* A plugin that was taken. Texts live as long as the plugin. */
typedef struct tn_plugin_info {
    uint32_t struct_size;
    uint32_t entry_count;
    const char *name;
    const char *version;
    const char *path;
    int32_t is_loaded; /* 0: it waits until one of its entries is looked up */
    uint32_t reserved;
} tn_plugin_info;

#define TN_PLUGIN_INFO_SIZE TN_STRUCT_END(tn_plugin_info, reserved)

TN_API uint32_t tn_plugin_count(const tn_runtime *runtime);
TN_API tn_status tn_plugin_get(const tn_runtime *runtime, uint32_t index, tn_plugin_info *out_info);

/* One entry of a plugin. */
typedef struct tn_entry_info {
    uint32_t struct_size;
    uint32_t version;
    const char *kind;
    const char *name;
    const char *plugin;
    const char *state; /* "active", "overridden by NAME", "skipped: …" */
} tn_entry_info;

#define TN_ENTRY_INFO_SIZE TN_STRUCT_END(tn_entry_info, state)

TN_API tn_status tn_plugin_entry(const tn_runtime *runtime, uint32_t plugin_index,
                                 uint32_t entry_index, tn_entry_info *out_info);

/* The identity in a file's note, read without running it, and what this library says of it. A
 * library without a note may be one that a loader makes a plugin of: then the identity has the
 * loader's name and its description, a name made of the file's, and no contract. */
typedef struct tn_identity {
    uint32_t struct_size;
    tn_status verdict; /* TN_OK: it would load, as far as can be told without opening it */
    uint32_t contract_major;
    uint32_t contract_minor;
    uint32_t needs_minor;
    uint32_t reserved;
    char name[128];
    char version[64];
    char requires_services[256];
    char optional_services[256];
    char sanitizer[32];
    char toolchain[128];
    char reason[1024]; /* empty when the verdict is TN_OK */
    char remedy[512];
    char loader[128];      /* empty for a library with a note */
    char description[256]; /* the loader's: "MXNet extension, library API version 7" */
} tn_identity;

#define TN_IDENTITY_SIZE TN_STRUCT_END(tn_identity, description)

/* [any] Reads a file's note, or, for a library without one, asks the loaders of `runtime` about it
 * (NULL: there are none). None of the file's code runs. Fails only when the file cannot be read; a
 * file that is no plugin gives a verdict and a reason. */
TN_API tn_status tn_plugin_inspect(const tn_runtime *runtime, const char *path,
                                   tn_identity *out_identity);

/* One line of the ledger. Texts live as long as the runtime. */
typedef struct tn_ledger_record {
    uint32_t struct_size;
    tn_status verdict;
    const char *path;
    const char *origin; /* "named by the user", "TENON_PLUGIN_PATH", "installed" */
    const char *name;   /* from the note; empty when it could not be read */
    const char *version;
    const char *checks; /* the checks made, in order, separated by ", "; the last one failed if
                           the verdict is not TN_OK */
    const char *reason; /* "loaded", or why not */
    const char *remedy; /* what would make it load; empty when loaded */
} tn_ledger_record;

#define TN_LEDGER_RECORD_SIZE TN_STRUCT_END(tn_ledger_record, remedy)

TN_API uint32_t tn_ledger_count(const tn_runtime *runtime);
TN_API tn_status tn_ledger_get(const tn_runtime *runtime, uint32_t index,
                               tn_ledger_record *out_record);

/* The directory that tn_plugin_load_all takes as "installed". */
TN_API const char *tn_plugin_installed_directory(void);

#endif
