/* The graph passes of an extension library, as passes of Tenon. */
#ifndef LOADER_MXNET_PASSES_H
#define LOADER_MXNET_PASSES_H

#include "extension.h"

/* Adds an entry for each pass of the library. */
tn_status passes_add(struct extension *extension);

#endif
