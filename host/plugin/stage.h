/* From what a plugin offers to checked entries that are ready to be committed. */
#ifndef TENON_PLUGIN_STAGE_H
#define TENON_PLUGIN_STAGE_H

#include "plugin/elf_offers.h"
#include "plugin/registry.h"

/*
 * Fills in plugin->entries, all but what they point to: what is malformed refuses the plugin
 * (CORRUPT); a name that is taken refuses it (ALREADY_EXISTS, or DENIED for an override without
 * `flags` permitting it); an entry of an unknown kind or version is kept and marked as skipped.
 * Nothing is visible to others yet. Writes a remedy of at most `remedy_size` bytes when there is
 * one. The offers' texts live as long as the plugin.
 */
tn_status tni_stage_offers(tni_plugin *plugin, const tni_offer *offers, uint32_t count,
                           uint32_t flags, char *remedy, size_t remedy_size);

/* The rest, from plugin->table: CORRUPT for what is malformed there, or differs from what the file
 * offered. Without offers from the file they are staged from the table first. */
tn_status tni_stage_table(tni_plugin *plugin, uint32_t flags, char *remedy, size_t remedy_size);

#endif
