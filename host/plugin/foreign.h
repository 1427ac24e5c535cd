/* Foreign libraries: shown to the loaders, made plugins of, and taken apart again. */
#ifndef TENON_PLUGIN_FOREIGN_H
#define TENON_PLUGIN_FOREIGN_H

#include <tenon/plugin/loader.h>

#include "plugin/elf_symbols.h"
#include "plugin/plugin_file.h"
#include "plugin/registry.h"

/* A library that a loader has recognised. */
typedef struct tni_foreign {
    const tni_entry *loader;
    tni_symbols symbols;
    tn_foreign_file file;
    tn_foreign_identity identity;
} tni_foreign;

/* Asks all loaders. NOT_FOUND, with a text that names them, when none recognises the library. On
 * success it must be finished, and the identity has name, loader and description. */
tn_status tni_foreign_recognise(const tn_runtime *runtime, const tni_plugin_file *file,
                                tni_foreign *out_foreign, tn_identity *out_identity);

/* The loader's refusal, if it has one. */
tn_status tni_foreign_verdict(const tni_foreign *foreign, char *remedy, size_t remedy_size);

/* Has the loader make plugin->table of the opened library, and makes the plugin hold it. */
tn_status tni_foreign_load(const tni_foreign *foreign, tni_plugin *plugin);

/* Undoes that, for a plugin that has no loader does nothing. */
void tni_foreign_unload(tni_plugin *plugin);

/* Takes one of zeros, too. */
void tni_foreign_finish(tni_foreign *foreign);

#endif
