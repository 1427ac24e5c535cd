/*
 * The kinds of entry that this library knows, and the check of what an entry points to. The check
 * reads no field beyond the struct's own size and calls nothing.
 */
#ifndef TENON_PLUGIN_KINDS_H
#define TENON_PLUGIN_KINDS_H

#include <stdbool.h>

#include <tenon/api.h>

typedef enum tni_kind_id {
    TNI_KIND_OP,
    TNI_KIND_KERNEL,
    TNI_KIND_DEVICE,
    TNI_KIND_FORMAT,
    TNI_KIND_DATASET,
    TNI_KIND_FUNCTION,
    TNI_KIND_PASS,
    TNI_KIND_LOADER,
    TNI_KIND_PARTITIONER,
    TNI_KIND_COUNT
} tni_kind_id;

/* Entries of one plugin; texts of an impl that are read from the plugin's file. */
enum { TNI_MAX_ENTRIES = 65536, TNI_KIND_TEXTS = 2 };

typedef struct tni_kind {
    const char *name;
    uint32_t version;       /* the highest that this library knows */
    uint32_t required_size; /* through the last field that a plugin must have */
    uint32_t known_size;    /* through the last field that this library knows */
    /* Where the impl has the texts by which it is told, before the plugin is loaded, whether it may
     * be wanted: a kernel's operator and target, a format's endings. */
    uint32_t text_count;
    uint32_t texts[TNI_KIND_TEXTS];
    /* `impl` is complete to known_size. CORRUPT, with what is wrong. */
    tn_status (*check)(const void *impl);
} tni_kind;

extern const tni_kind tni_kinds[TNI_KIND_COUNT];

/* Whether every partitioner has this option, which is the host's. */
bool tni_is_partition_option(const char *name);

/* TNI_KIND_COUNT when the kind is not known. */
uint32_t tni_kind_find(const char *name);

#endif
