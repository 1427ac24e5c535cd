/* Offers something that this host has never heard of, beside something that it knows. */
#include "sample.h"

static const tn_entry entries[] = {{"teleporter", "beam", 1, 0, &sample_op},
                                   TN_ENTRY_OP("known", &sample_op)};
TN_PLUGIN("unknown_kind", "1.0", entries);
