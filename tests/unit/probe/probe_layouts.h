/* Entries of the probe plugin that are about layouts. */
#ifndef PROBE_LAYOUTS_H
#define PROBE_LAYOUTS_H

#include <tenon/plugin.h>

extern const tn_op probe_channels_op;
extern const tn_kernel probe_channels_kernel;
extern const tn_kernel probe_wrong_layout_kernel;

#endif
