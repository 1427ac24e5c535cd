/* The partitioners of an extension library, as partitioners of Tenon. */
#ifndef LOADER_MXNET_PARTITIONERS_H
#define LOADER_MXNET_PARTITIONERS_H

#include "extension.h"

/* Adds an entry for each partitioner of the library. */
tn_status partitioners_add(struct extension *extension);

#endif
