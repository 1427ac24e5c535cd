/* Linked with -ffast-math: the compiler adds a constructor that makes denormal numbers zero. */
#include "sample.h"

static const tn_entry entries[] = {TN_ENTRY_OP("fast_math", &sample_op)};
TN_PLUGIN("fast_math", "1.0", entries);
