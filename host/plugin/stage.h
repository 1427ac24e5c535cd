/* From a plugin's table to checked entries that are ready to be committed. */
#ifndef TENON_PLUGIN_STAGE_H
#define TENON_PLUGIN_STAGE_H

#include "plugin/registry.h"

/*
 * Fills in plugin->entries from plugin->table: what is malformed refuses the plugin (CORRUPT); a
 * name that is taken refuses it (ALREADY_EXISTS, or DENIED for an override without `flags`
 * permitting it); an entry of an unknown kind or version is kept and marked as skipped. Nothing is
 * visible to others yet. Writes a remedy of at most `remedy_size` bytes when there is one.
 */
tn_status tni_stage_entries(tni_plugin *plugin, uint32_t flags, char *remedy, size_t remedy_size);

#endif
