/* Passes that exist for the tests of the host. */
#ifndef PROBE_PASSES_H
#define PROBE_PASSES_H

#include <tenon/plugin.h>

/* Does what its option says, mostly what a pass must not do. */
extern const tn_pass probe_pass;

#endif
