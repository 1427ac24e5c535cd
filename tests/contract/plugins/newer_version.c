/* One operator under two versions of its interface, and one in a newer version alone. What version
 * 99 looks like is not known: its impl must not be looked at. */
#include "sample.h"

static const uint32_t from_the_future[2] = {1, 2};
static const tn_entry entries[] = {{TN_KIND_OP, "both", 99, 0, from_the_future},
                                   TN_ENTRY_OP("both", &sample_op),
                                   {TN_KIND_OP, "newer", 99, 0, from_the_future}};
TN_PLUGIN("newer_version", "1.0", entries);
