/*
 * Kind "loader", version 1: makes plugins of foreign libraries, that is of shared libraries that
 * follow another system's contract. The entry's name is the system's ("mxnet").
 *
 * A library without a Tenon note is shown to the loaders. The one that is surest of it makes a
 * table of entries from it, and from then on there is a plugin like any other: listed, leased,
 * unloaded. Its loader stays loaded as long [TN-REQ-091].
 */
#ifndef TENON_PLUGIN_LOADER_H
#define TENON_PLUGIN_LOADER_H

#include <tenon/plugin/identity.h>
#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

/* What is known of a file without running it. */
typedef struct tn_foreign_file {
    uint32_t struct_size;
    uint32_t symbol_count;
    const char *path;           /* absolute, without symbolic links */
    const char *const *symbols; /* the dynamic symbols that it defines, in the order of strcmp */
} tn_foreign_file;

/* What a loader says of such a file. */
typedef struct tn_foreign_identity {
    uint32_t struct_size;
    tn_status verdict;     /* out; on entry TN_OK. Otherwise it is refused when it is loaded. */
    char description[256]; /* out; "MXNet extension, library API version 7" */
    char reason[512];      /* out; why it is refused */
    char remedy[256];      /* out; what would make it load */
} tn_foreign_identity;

/* Makes a plugin of an opened library. */
typedef struct tn_foreign_call {
    uint32_t struct_size;
    uint32_t reserved;
    const tn_host *host; /* the loader's */
    /* That of the plugin to be, by which its functions are called. Its plugin_state may be set. */
    tn_host *plugin_host;
    const tn_foreign_file *file;
    const char *name; /* the plugin's, made of the file's; to be given in the table */
    /* dlopen's handle, from RTLD_NOW and RTLD_LOCAL. The host opened it and closes it
     * [TN-REQ-092]. */
    void *library;
    /* out; a table as TN_PLUGIN would write it, in memory that lives until unload */
    const tn_plugin *plugin;
    void *state; /* out; on entry NULL. The loader's own; given back to unload. */
} tn_foreign_call;

typedef struct tn_loader {
    uint32_t struct_size;
    uint32_t reserved;
    const char *doc; /* what libraries it loads; the first sentence stands in lists */

    /* [any] How sure the loader is that the library is one of its system's: 0 no, 100 certain. It
     * judges by the symbols alone and runs nothing of the library [TN-REQ-090]. Required. */
    int32_t (*recognise)(const tn_host *host, const tn_foreign_file *file,
                         tn_foreign_identity *out_identity);

    /* [load] On failure it has undone what it did; unload is not called. Required. */
    tn_status (*load)(tn_foreign_call *call);

    /* [load] After the last use of the plugin and its fini, before its library is closed.
     * Required. */
    void (*unload)(const tn_host *host, void *state);
} tn_loader;

#define TN_LOADER_VERSION 1u
#define TN_LOADER_SIZE TN_STRUCT_END(tn_loader, unload)
#define TN_ENTRY_LOADER(NAME, IMPL)                                                                \
    { TN_KIND_LOADER, NAME, TN_LOADER_VERSION, 0, IMPL }

#endif
