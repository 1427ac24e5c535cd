/* Kernels of the probe plugin of which the one of the highest rank is the slowest. */
#ifndef PROBE_SPEEDS_H
#define PROBE_SPEEDS_H

#include <tenon/plugin.h>

extern const tn_kernel probe_speeds_slow_kernel;
extern const tn_kernel probe_speeds_quick_kernel;

#endif
