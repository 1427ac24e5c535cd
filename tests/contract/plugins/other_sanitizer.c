/* Says that it was built with a sanitizer that the host was not built with. */
#include "sample.h"

#undef TN_SANITIZER
#define TN_SANITIZER "memory"

static const tn_entry entries[] = {TN_ENTRY_OP("other_sanitizer", &sample_op)};
TN_PLUGIN("other_sanitizer", "1.0", entries);
