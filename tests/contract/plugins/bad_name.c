/* A name with a space in it. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("fine", &sample_op),
                                   TN_ENTRY_OP("not fine", &sample_op)};
TN_PLUGIN("bad_name", "1.0", entries);
