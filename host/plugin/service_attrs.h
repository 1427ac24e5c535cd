/* The service "attrs": attribute tables for a plugin's own structs. */
#ifndef TENON_PLUGIN_SERVICE_ATTRS_H
#define TENON_PLUGIN_SERVICE_ATTRS_H

#include <tenon/plugin/host.h>

extern const tn_attrs_service tni_attrs_service;

#endif
