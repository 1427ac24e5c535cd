/*
 * What a plugin offers, read from the symbol table `tenon_plugin` in its file: the macro TN_PLUGIN
 * makes it constant data, so that the file has all of it but the addresses, which the relocations
 * tell. Nothing of the file is trusted, and nothing of it is run.
 */
#ifndef TENON_PLUGIN_ELF_OFFERS_H
#define TENON_PLUGIN_ELF_OFFERS_H

#include <tenon/plugin/identity.h>

#include "base/memory.h"
#include "plugin/kinds.h"

typedef struct tni_offer {
    tn_entry entry;                    /* `impl` is NULL: it is in the library alone */
    const char *texts[TNI_KIND_TEXTS]; /* see kinds.h; NULL: none */
} tni_offer;

/* In memory of `arena`. Fails, with any status, for a table that cannot be told from the file: a
 * code that fills it in runs first, or it is not written as the macro does. */
tn_status tni_offers_read(int descriptor, uint64_t file_size, tni_arena *arena,
                          tni_offer **out_offers, uint32_t *out_count);

#endif
