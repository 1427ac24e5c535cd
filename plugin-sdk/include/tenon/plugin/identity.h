/*
 * A plugin's identity and its table of entries.
 *
 * The identity stands twice in a plugin: in an ELF note, which the host reads from the file
 * before any code of the plugin can run, and in the one exported symbol `tenon_plugin`. Both are
 * written by the macro TN_PLUGIN, never by hand, and the host refuses a plugin in which they
 * differ [TN-REQ-010].
 *
 * The note is an ELF note with owner "Tenon" and type 1. Its content is a sequence of
 * NUL-terminated "key=value" texts; a reader skips keys that it does not know [TN-REQ-011]:
 *
 *   name=…         the plugin's name: letters, digits, '-', '_', '.'; unique in a runtime
 *   version=…      the plugin's own version, free text
 *   contract=0.1   contract major, and the minor of the headers it was built with
 *   needs=1        the lowest minor that has all it uses (TN_NEEDS_MINOR)
 *   requires=…     services that it cannot do without, "name/version" separated by ','
 *   optional=…     services that it uses when they are there
 *   sanitizer=…    none, address, thread, memory
 *   toolchain=…    the compiler, for information
 */
#ifndef TENON_PLUGIN_IDENTITY_H
#define TENON_PLUGIN_IDENTITY_H

#include <tenon/plugin/status.h>
#include <tenon/plugin/types.h>

/*
 * What a plugin offers is read from its file, too: the host applies the file's relocations to the
 * table below, as the dynamic linker will. So the table is what the compiler and the linker made of
 * it, and no code of the plugin changes it; where table and file differ once the plugin is loaded,
 * it is refused [TN-REQ-027]. A plugin that was found in a directory is loaded when one of its
 * entries is looked up for the first time [TN-REQ-028]; one whose file does not tell what it
 * offers, since a constructor fills in the table, is loaded when it is found.
 */

/*
 * The version of the contract in these headers. While the major is 0 the shape is still being
 * found and the minor must match the host's exactly; from 1 on a host serves every plugin whose
 * `needs` is at most its own minor [TN-REQ-012].
 */
#define TN_CONTRACT_MAJOR 0
#define TN_CONTRACT_MINOR 1

/* Define before the first include to opt in to what a later minor added [TN-REQ-013]. */
#ifndef TN_NEEDS_MINOR
#if TN_CONTRACT_MAJOR == 0
#define TN_NEEDS_MINOR TN_CONTRACT_MINOR
#else
#define TN_NEEDS_MINOR 0
#endif
#endif

/* Kinds of entry. A kind is an interface with a version of its own; a host lists an entry whose
 * kind or version it does not know, and skips it [TN-REQ-014]. */
#define TN_KIND_OP "op"                   /* impl: const tn_op *, operator.h */
#define TN_KIND_KERNEL "kernel"           /* impl: const tn_kernel *, kernel.h */
#define TN_KIND_DEVICE "device"           /* impl: const tn_device_backend *, device.h */
#define TN_KIND_FORMAT "format"           /* impl: const tn_format *, format.h */
#define TN_KIND_DATASET "dataset"         /* impl: const tn_dataset *, dataset.h */
#define TN_KIND_FUNCTION "function"       /* impl: const tn_function *, function.h */
#define TN_KIND_PASS "pass"               /* impl: const tn_pass *, pass.h */
#define TN_KIND_PARTITIONER "partitioner" /* impl: const tn_partitioner *, partitioner.h */
#define TN_KIND_LOADER "loader"           /* impl: const tn_loader *, loader.h */

/* Takes the place of an entry of the same kind and name that another plugin offers. The user must
 * allow it as well; otherwise the plugin is refused [TN-REQ-015]. */
#define TN_ENTRY_OVERRIDES 1u

/* One thing that a plugin offers. Constant data. */
typedef struct tn_entry {
    const char *kind;
    const char *name;
    uint32_t version; /* of the kind's interface that `impl` follows */
    uint32_t flags;   /* TN_ENTRY_… */
    const void *impl;
} tn_entry;

/* The exported symbol. Constant data; the host copies nothing and never writes to it. */
typedef struct tn_plugin {
    uint32_t struct_size;
    uint32_t contract_major;
    uint32_t contract_minor;
    uint32_t needs_minor;
    const char *name;
    const char *version;
    const tn_entry *entries;
    uint32_t entry_count;  /* at least 1: a plugin that offers nothing is refused [TN-REQ-016] */
    uint32_t entry_stride; /* sizeof(tn_entry) as the plugin knew it */

    /* [load] NULL or: called once a runtime, before any entry is used, on whichever thread was the
     * first to look one up, in the midst of any call; it waits for no other thread [TN-REQ-029]. It
     * may use what other plugins offer, not what its own does. May set host->plugin_state. On
     * failure the plugin is as if never loaded [TN-REQ-017]; what init made it must have undone
     * itself, since fini is then not called. */
    tn_status (*init)(tn_host *host);

    /* [load] NULL or: called once after the last use, before the library is closed or the runtime
     * destroyed. All threads, keys and handlers the plugin made must be gone at return. */
    void (*fini)(tn_host *host);
} tn_plugin;

#define TN_PLUGIN_SIZE TN_STRUCT_END(tn_plugin, fini)
#define TN_PLUGIN_SYMBOL "tenon_plugin"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TN_SANITIZER "address"
#elif __has_feature(thread_sanitizer)
#define TN_SANITIZER "thread"
#elif __has_feature(memory_sanitizer)
#define TN_SANITIZER "memory"
#endif
#endif
#if !defined(TN_SANITIZER) && defined(__SANITIZE_ADDRESS__)
#define TN_SANITIZER "address"
#elif !defined(TN_SANITIZER) && defined(__SANITIZE_THREAD__)
#define TN_SANITIZER "thread"
#endif
#ifndef TN_SANITIZER
#define TN_SANITIZER "none"
#endif

#ifdef __cplusplus
#define TN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define TN_EXPORT extern __attribute__((visibility("default")))
#endif

#define TN_TEXT_(x) #x
#define TN_TEXT(x) TN_TEXT_(x)

#define TN_NOTE_OWNER "Tenon"
#define TN_NOTE_TYPE 1u
#define TN_NOTE_SECTION ".note.tenon"

#define TN_NOTE_TEXT_(NAME, VERSION, REQUIRES, OPTIONAL)                                           \
    "name=" NAME "\0version=" VERSION                                                              \
    "\0contract=" TN_TEXT(TN_CONTRACT_MAJOR) "." TN_TEXT(TN_CONTRACT_MINOR) "\0needs=" TN_TEXT(    \
        TN_NEEDS_MINOR) "\0requires=" REQUIRES "\0optional=" OPTIONAL "\0sanitizer=" TN_SANITIZER  \
                        "\0toolchain=" __VERSION__

/*
 * Writes the note and the symbol table. At file scope, once in a plugin.
 *   NAME, VERSION, REQUIRES, OPTIONAL   string literals
 *   INIT, FINI                          functions or NULL
 *   ENTRIES                             an array of tn_entry
 */
#define TN_PLUGIN_WITH(NAME, VERSION, REQUIRES, OPTIONAL, INIT, FINI, ENTRIES)                     \
    static const struct {                                                                          \
        uint32_t owner_size, content_size, type;                                                   \
        char owner[8];                                                                             \
        char content[(sizeof(TN_NOTE_TEXT_(NAME, VERSION, REQUIRES, OPTIONAL)) + 3) / 4 * 4];      \
    } tn_plugin_note __attribute__((section(TN_NOTE_SECTION), used, aligned(4))) = {               \
        sizeof(TN_NOTE_OWNER), sizeof(TN_NOTE_TEXT_(NAME, VERSION, REQUIRES, OPTIONAL)),           \
        TN_NOTE_TYPE, TN_NOTE_OWNER, TN_NOTE_TEXT_(NAME, VERSION, REQUIRES, OPTIONAL)};            \
    TN_EXPORT const tn_plugin tenon_plugin;                                                        \
    const tn_plugin tenon_plugin = {TN_PLUGIN_SIZE,                                                \
                                    TN_CONTRACT_MAJOR,                                             \
                                    TN_CONTRACT_MINOR,                                             \
                                    TN_NEEDS_MINOR,                                                \
                                    NAME,                                                          \
                                    VERSION,                                                       \
                                    ENTRIES,                                                       \
                                    (uint32_t)(sizeof(ENTRIES) / sizeof((ENTRIES)[0])),            \
                                    (uint32_t)sizeof(tn_entry),                                    \
                                    INIT,                                                          \
                                    FINI}

/* The same for the usual plugin: no init, no fini, no services beyond `error`. */
#define TN_PLUGIN(NAME, VERSION, ENTRIES)                                                          \
    TN_PLUGIN_WITH(NAME, VERSION, "error/1", "", NULL, NULL, ENTRIES)

#endif
