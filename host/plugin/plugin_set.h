/* The plugins that one object uses: each is leased once, however often it is added. */
#ifndef TENON_PLUGIN_PLUGIN_SET_H
#define TENON_PLUGIN_PLUGIN_SET_H

#include "plugin/registry.h"

typedef struct tni_plugin_set {
    tni_plugin **plugins;
    uint32_t count, capacity;
} tni_plugin_set;

tn_status tni_plugin_set_add(tni_plugin_set *set, tni_plugin *plugin, tni_holder holder);
void tni_plugin_set_finish(tni_plugin_set *set, tni_holder holder);

#endif
